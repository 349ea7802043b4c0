/**
 * Bundles third-party JavaScript into ../static/vendor: `make vendor`.
 *
 * A bundle is a file of `bundles/`, an ES module that exports what the console uses of npm's packages.
 * Beside each bundle stands the licence of what is in it; `bundles.json` has the versions and the
 * SHA-256 of the files, which `make check` verifies without Node.
 */

import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const out = join(here, '..', 'static', 'vendor')

// What a strict policy forbids, and the console does not use, is taken out of the source.
const CUTS = {
  'htmx.esm.js': [
    ['return eval(str)', 'throw new Error("no eval")'],
    ['return Function(conditionalSource)()', 'throw new Error("no filters")'],
    ["func = new Function('event', code)", 'throw new Error("no hx-on")'],
    ["return Function('event', 'return (' + str + ')').call(elt, event)", 'throw new Error("no js:")'],
    ["return Function('return (' + str + ')').call(elt)", 'throw new Error("no js:")']
  ],
  // The address of a page that an error tells of.
  'prosemirror-model/dist/index.js': [[' (see https://prosemirror.net/docs/guide/#generatable)', '']]
}
const cutting = {
  name: 'cutting',
  setup(builder) {
    builder.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      const [, cuts = []] = Object.entries(CUTS).find(([end]) => path.endsWith(end)) ?? []
      for (const [from, to] of cuts) {
        if (contents.split(from).length !== 2) throw new Error(`${path} has not one: ${from}`)
        contents = contents.replace(from, () => to)
      }
      return { contents }
    })
  }
}

await rm(out, { recursive: true, force: true })
await mkdir(out, { recursive: true })
const bundles = {}
for (const file of (await readdir(join(here, 'bundles'))).filter((name) => name.endsWith('.js')).sort()) {
  const { metafile } = await build({
    entryPoints: [join(here, 'bundles', file)],
    outfile: join(out, file),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    metafile: true,
    absWorkingDir: here,
    plugins: [cutting]
  })
  const packages = {}
  let licences = ''
  const names = Object.keys(metafile.inputs).map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1])
  for (const name of [...new Set(names)].filter(Boolean).sort()) {
    const folder = join(here, 'node_modules', name)
    const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    packages[name] = version
    const found = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
    if (!found) throw new Error(`${name} has no licence`)
    licences += `${name} ${version} (${license})\n\n${await readFile(join(folder, found), 'utf8')}\n\n`
  }
  const licence = file.replace(/\.js$/, '.LICENSE')
  await writeFile(join(out, licence), `${licences.trim()}\n`)
  const sha256 = createHash('sha256')
    .update(await readFile(join(out, file)))
    .digest('hex')
  bundles[file] = { sha256, packages }
  console.log(file, packages)
}
await writeFile(join(out, 'bundles.json'), `${JSON.stringify(bundles, null, 2)}\n`)
