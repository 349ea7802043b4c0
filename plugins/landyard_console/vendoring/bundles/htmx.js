export { default } from 'htmx.org/dist/htmx.esm.js'
