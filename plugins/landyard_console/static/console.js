/** The console's behaviour on every screen; what elements ask for stands in their `data-` attributes. */
import './vendor/htmx.js'
import './parts/calls.js'
import './parts/dialogs.js'
import './parts/session.js'
import './parts/asking.js'
import './parts/addresses.js'
import './parts/live.js'
import './parts/early_typing.js'
