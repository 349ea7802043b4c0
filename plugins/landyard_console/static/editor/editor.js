// The page editor: turns actions in the frame, the outline and the panel into changes.

import { newKey } from '../call.js'
import { Log } from './call_log.js'
import { Calls } from './calls.js'
import { Changes } from './changes.js'
import { askWhich, tellRefused, versionsOf } from './conflict.js'
import { h, t, tell } from './dom.js'
import { Draft } from './draft.js'
import { FormatBar } from './format_bar.js'
import { Frame } from './frame.js'
import { parseIn } from './markup.js'
import { isOfText } from './node_values.js'
import { Outline } from './outline.js'
import { isHalfDone } from './paired_moves.js'
import { Panel } from './panel.js'
import { openShelf } from './pending_storage.js'
import { Presence } from './presence.js'
import { Stage } from './preview_size.js'
import { mayDiffer, readPage } from './publication_state.js'
import { Queue } from './queue.js'
import { askInPauses, whenSignedIn } from './sign_in.js'
import { Writing } from './text_editing.js'
import { Bar } from './top_bar.js'
import { placeUpload } from './uploading.js'

/** @typedef {import('./draft.js').Block} Block */
/** @typedef {import('./queue.js').Entry} Entry */

const TYPED = 'landing.block.updatenodes'
const HISTORY = /\.history\.(?:undo|redo)$/

export class Editor {
  /** The selection: a block, and perhaps a node of it. @type {{block: string, key: string | null} | null} */
  chosen = null
  // Created when the page has loaded.
  queue = /** @type {Queue} */ (/** @type {unknown} */ (null))
  changes = /** @type {Changes} */ (/** @type {unknown} */ (null))
  /** @type {FormatBar | undefined} */ formatBar
  /** @type {Panel | undefined} */ panel
  /** @type {Bar | undefined} */ bar
  /** @type {Set<() => void>} */ #watchers = new Set()
  /** Whether the display is older than the saved draft, because an open text is left alone. */
  isBehind = false
  /** The publication state of the page; null until it is known. @type {import('./publication_state.js').Page | null} */
  standing = null

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root
    const { page = '', user = '', title = '' } = root.dataset
    this.page = page
    this.user = user
    this.title = title
    this.calls = new Calls(user)
    this.draft = new Draft(this.calls, page)
    this.log = new Log()
    this.presence = new Presence(this)
    this.writing = new Writing(this)
    const iframe = h('iframe', { class: 'ed-frame', title: t('frame.title', { title }) })
    this.frame = new Frame(iframe, `${location.pathname.replace(/\/$/, '')}/draft`, this.draft, {
      clicked: (block, key, event) => this.#clicked(block, key, event),
      dropped: (block, key, files) => placeUpload(this, block, key, files[0]),
      pressed: (event) => this.#pressed(event),
      pasted: (event) => this.#pasted(event)
    })
    this.stage = new Stage(iframe)
  }

  async start() {
    const { shelf, entries } = await openShelf(this.user, this.page)
    this.queue = new Queue(shelf, entries, this.calls, {
      saved: async (entry, envelope) => {
        const revision = await this.#saved(entry, envelope)
        this.changes.saved(entry.revision, revision)
        return revision
      },
      stopped: (entry, error) => this.#stopped(entry, error),
      signedOut: () => this.#waitForUser(),
      changed: (state) => {
        this.tell()
        if (state === 'saved') this.#edited()
      }
    })
    this.changes = new Changes(this.queue, this.page)
    this.#build()
    await this.frame.load()
    parseIn(this.frame.document)
    await this.draft.load()
    this.frame.mark()
    askInPauses(() => this.writing.typed)
    document.addEventListener('landyard:signed-out', () => this.#waitForUser())
    addEventListener('online', () => this.queue.resume())
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.readPage().catch(() => null)
    })
    addEventListener('keydown', (event) => this.#pressed(event))
    addEventListener('paste', (event) => this.#pasted(event))
    addEventListener('beforeunload', (event) => {
      if (this.queue.state === 'stopped') event.preventDefault()
    })
    await Promise.all([this.presence.begin(), this.readPage().catch(() => null)])
    this.queue.resume()
    this.tell()
    this.root.dataset.ready = ''
  }

  /** Call `watcher` after any change of state. @param {() => void} watcher */
  watch(watcher) {
    this.#watchers.add(watcher)
  }

  /** @returns {Block | undefined} */
  get block() {
    return this.chosen ? this.draft.find(this.chosen.block) : undefined
  }

  /**
   * Select a block, or a node of one.
   * @param {string | null} block @param {string | null} [key] @param {{reveal?: boolean}} [options]
   */
  choose(block, key = null, { reveal = false } = {}) {
    if (this.open && (this.open.place.block !== block || this.open.place.key !== key)) this.close()
    this.chosen = block ? { block, key } : null
    this.frame.choose(block, key)
    if (reveal && block) this.frame.reveal(block, key)
    this.tell()
  }

  /** The open text. */
  get open() {
    return this.writing.open
  }

  /**
   * Open a text in place; returns the reason if it cannot be opened.
   * @param {string} block @param {string} key @param {{left: number, top: number}} [at]
   */
  edit(block, key, at) {
    this.writing.begin(block, key, at)
  }

  /** Close the open text. @param {{focus?: boolean}} [options] */
  close({ focus = false } = {}) {
    if (!this.open) return
    this.writing.end()
    this.queue.flush()
    if (this.isBehind) this.#showAnew()
    if (!this.queue.entries.length) this.#edited() // otherwise after the changes are saved
    if (focus) this.panel?.focus()
    this.tell()
  }

  async undo() {
    this.changes.undo()
  }

  async redo() {
    this.changes.redo()
  }

  /** Fetch the changes of others, once ours are saved; others may also have published the page. */
  async catchUp(byOthers = false) {
    if (await this.#showAnew()) this.#edited(byOthers)
  }

  /** Fetch the draft, and show it if it has changed; resolves to whether it has. */
  async #showAnew() {
    const changed = await this.draft.load().catch(() => null)
    if (!changed || (!changed.size && !this.isBehind)) return false
    await this.frame.sync()
    this.isBehind = false
    this.#afterSync()
    return true
  }

  /** Fetch the publication state, if a saved change can have affected it. */
  #edited(byOthers = false) {
    if (byOthers || mayDiffer(this.standing, this.open !== null)) this.readPage().catch(() => null)
  }

  /** Fetch the publication state and the page's settings for the editor. */
  async readPage() {
    const page = await readPage(this.calls, this.page)
    this.standing = page ?? this.standing
    this.tell()
    return page
  }

  /** Show the page after a call about the whole of it. */
  async pageChanged() {
    const page = await this.readPage()
    this.title = page.TITLE
    document.title = document.title.replace(/^.*(?= · )/, () => this.title)
    this.root.querySelector('h1')?.replaceChildren(t('editor.heading', { title: this.title }))
    await this.catchUp()
    this.tell()
    return page
  }

  #afterSync() {
    if (this.chosen && !this.block) this.choose(null)
    if (this.chosen) this.frame.choose(this.chosen.block, this.chosen.key)
    this.writing.refresh()
    this.tell()
  }

  #waitForUser() {
    whenSignedIn(this.calls, () => this.queue.resume())
  }

  /**
   * After a change was saved, fetch the block again, for its new revision and content.
   * @param {Entry} entry @param {any} envelope
   */
  async #saved(entry, envelope) {
    this.log.add(entry, envelope)
    if (entry.method === TYPED && entry.place) {
      const block = await this.draft.refresh(entry.block ?? '')
      this.isBehind = true
      this.writing.saved(entry.place)
      if (!this.open) await this.#showAnew()
      return block?.revision
    }
    if (HISTORY.test(entry.method)) await this.#stepOn(entry, envelope.result)
    await this.draft.load()
    await this.frame.sync()
    if (entry.method.endsWith('.addblock') || entry.method.endsWith('.copyblock'))
      this.choose(String(envelope.result), null, { reveal: true })
    if (HISTORY.test(entry.method) && envelope.result === null)
      tell(t(entry.method.endsWith('undo') ? 'undo.none' : 'redo.none'))
    this.#afterSync()
    return this.draft.find(entry.block ?? '')?.revision
  }

  /** Treat the two edits of one drag as one step of undo and redo. @param {Entry} entry @param {number | null} id */
  async #stepOn({ method, params }, id) {
    if (id === null) return
    const edits = await this.calls.call('landing.landing.history.getList', { lid: this.page })
    if (!isHalfDone(edits, id, method.endsWith('undo'))) return
    const other = { key: newKey(), method, params }
    this.log.add(other, await this.calls.envelope(method, params, { key: other.key }))
  }

  /** @param {Entry} entry @param {import('./calls.js').Refused} error */
  async #stopped(entry, error) {
    this.log.add(entry, error.body)
    const conflict =
      error.code === 'REVISION_CONFLICT' ? await versionsOf(this.draft, entry, error.body.error_data) : null
    const again = conflict ? await askWhich(conflict) : await tellRefused(entry, error)
    if (again) this.queue.retry(conflict ? conflict.revision : entry.revision)
    else this.queue.drop()
    if (!again) {
      await this.catchUp()
      this.writing.refresh()
    }
  }

  /** @param {string} block @param {string | null} key @param {MouseEvent} event */
  #clicked(block, key, event) {
    const place = key ? this.draft.place(block, key) : this.#drawnAs(block, event.target)
    if (place && (place.kind === 'text' || (place.kind === 'link' && isOfText(place)))) {
      this.edit(block, place.key, { left: event.clientX, top: event.clientY })
    } else this.choose(block, key)
  }

  /**
   * The stored text behind a text that the service renders differently, such as a form's labels; none if it is ambiguous.
   * @param {string} block @param {EventTarget | null} target what was clicked
   */
  #drawnAs(block, target) {
    const text = /** @type {Element | null} */ (target)?.textContent?.trim()
    const found = this.draft.find(block)
    if (!text || !found) return undefined
    const places = this.draft
      .places(found)
      .filter(
        (place) =>
          place.kind === 'text' && place.element.textContent?.trim() === text && !this.frame.node(block, place.key)
      )
    return places.length === 1 ? places[0] : undefined
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const typesIn = event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
    if (event.defaultPrevented || typesIn || !(event.ctrlKey || event.metaKey)) return
    const key = event.key.toLowerCase()
    if (key !== 'z' && key !== 'y') return
    event.preventDefault()
    if (key === 'y' || event.shiftKey) this.redo()
    else this.undo()
  }

  /** Paste a picture from the clipboard into the selected picture node. @param {ClipboardEvent} event */
  #pasted(event) {
    const [file] = event.clipboardData?.files ?? []
    if (event.defaultPrevented || !file || !this.chosen?.key) return
    const place = this.draft.place(this.chosen.block, this.chosen.key)
    if (place?.kind !== 'img' && place?.kind !== 'styleimg') return
    event.preventDefault()
    placeUpload(this, place.block, place.key, file)
  }

  #build() {
    this.bar = new Bar(this)
    const outline = new Outline(this)
    this.panel = new Panel(this)
    this.formatBar = new FormatBar(this)
    this.root.replaceChildren(
      h('h1', { class: 'ed-hidden' }, t('editor.heading', { title: this.title })),
      this.bar.element,
      h(
        'div',
        { class: 'ed-body' },
        outline.element,
        h(
          'section',
          { class: 'ed-middle', 'aria-label': t('frame.region') },
          this.formatBar.element,
          this.stage.element
        ),
        this.panel.element
      )
    )
    this.stage.begin()
  }

  /** Notify the watchers of a change. */
  tell() {
    for (const watcher of this.#watchers) watcher()
  }
}
