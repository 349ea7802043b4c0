// Calls a service with a client that is generated from its document; says what came of it.
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

declare const process: { argv: string[] }

type Block = components['schemas']['LandingBlockGetlistAnswer']['result'][number]

const client = createClient<paths>({ baseUrl: process.argv[2]! })

const names = await client.POST('/methods.json', { body: {} })
const blocks = await client.POST('/landing.block.getlist.json', {
  body: { lid: 12, params: { edit_mode: true, get_content: 'Y' } }
})
const refused = await client.POST('/landing.block.getlist.json', { body: { lid: '999' } })
const code: 'LANDING_NOT_EXIST' | undefined =
  refused.error?.error === 'LANDING_NOT_EXIST' ? refused.error.error : undefined

// @ts-expect-error - a page has to be named
await client.POST('/landing.block.getlist.json', { body: {} })
// @ts-expect-error - there is no such method
await client.POST('/landing.block.nothing.json', { body: {} })

console.log(JSON.stringify({
  names: names.data?.result,
  ids: blocks.data?.result.map((block: Block): number => block.id),
  took: blocks.data?.time.duration,
  code
}))
