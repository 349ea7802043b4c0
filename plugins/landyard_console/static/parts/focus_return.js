/** The return of the focus after a dialog. */

/**
 * Remember the focused element, and return a function that restores it. In a frame that is an element of the
 * frame's document, because focusing the frame itself does not restore it.
 * @param {any} opener an element
 */
export function holdFocus(opener = document.activeElement) {
  const inside = opener?.contentDocument?.activeElement
  return () => {
    const holder = inside?.isConnected ? inside : opener
    if (holder?.isConnected) holder.focus?.()
  }
}
