/** The focus, held while a dialog has it. */

/**
 * Remember who has the focus; the answer gives it back. In a frame that is an element of its page: while a dialog is open
 * nobody there has it, and a frame that gets it back gives it to no one.
 * @param {any} opener an element
 */
export function holdFocus(opener = document.activeElement) {
  const inside = opener?.contentDocument?.activeElement
  return () => {
    const holder = inside?.isConnected ? inside : opener
    if (holder?.isConnected) holder.focus?.()
  }
}
