/** The console's behaviour on every screen, which elements request by `data-` attributes. */
import './vendor/htmx.js'
import './parts/calls.js'
import './parts/dialogs.js'
import './parts/session.js'
import './parts/call_elements.js'
import './parts/addresses.js'
import './parts/auto_refresh.js'
import './parts/early_typing.js'
