import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { node, root } from './run.mjs'

const codegen = join(root, 'packages/codegen')
const studio = join(root, 'packages/studio')
const { ZodFirstPartyTypeKind } = createRequire(join(codegen, 'package.json'))('zod/v3')

/** Packages that are not bundled: large or native ones, and those that design modules must share with the command. */
const packages = /^(?:node:|(?:@scalar|gpt-tokenizer|jiti|oxc-parser|oxc-transform|ts-morph|yaml|zod)(?:\/|$))/

/**
 * Chunks of modules that are loaded together, with their dependencies. If several chunks need a dependency, the first one contains it. The bundler
 * chooses the chunks of all other modules.
 */
const chunks = [
  // Needed by all commands except help and version.
  ['program', /codegen\/dist\/cli\/(?:program|run-process|run-command)\.js$/],
  // Needed by `generate` if nothing has changed.
  ['generate', /codegen\/dist\/cli\/commands\/generate\.js$/],
  // Code without external dependencies that several commands need.
  [
    'schema',
    /(?:runtime\/dist\/|codegen\/dist\/schema\/(?!libraries|to-json-schema)|codegen\/dist\/lint\/lint-design\.js$)/,
  ],
  ['compile', /codegen\/dist\/(?:load|ir|emit)\//],
  ['library', /codegen\/dist\/(?:check|diff|docs|inspect|lint|tokens)\.js$/],
  ['services', /codegen\/dist\/services\//],
]

/** Code that replaces modules, because loading the whole modules takes several milliseconds. */
const replacements = {
  // Commander needs this module only for commands that are executables of their own.
  'node:child_process': 'export {}',
  // `zod-to-json-schema` needs only these strings.
  'zod/v3': `export const ZodFirstPartyTypeKind = ${JSON.stringify(ZodFirstPartyTypeKind)}`,
}

const isReplaced = (id, importer) =>
  Object.hasOwn(replacements, id) && /\/(?:commander|zod-to-json-schema)\//.test(importer)

const replaced = '\0replaced:'

const replaceModules = {
  name: 'replace-modules',
  resolveId: (id, importer) => (isReplaced(id, importer) ? replaced + id : undefined),
  load: (id) => (id.startsWith(replaced) ? replacements[id.slice(replaced.length)] : undefined),
}

/** Files relative to `bin`. Each change of an input of the bundle changes one of these files. `bin/toolgen.js` compares their modification times. */
const inputs = [
  '../dist/.tsbuildinfo',
  '../../runtime/dist/.tsbuildinfo',
  '../package.json',
  '../templates/commands.json',
  '../templates/exit-codes.txt',
  '../../../pnpm-lock.yaml',
  '../../../scripts/lib/bundle.mjs',
]

/**
 * Bundles the compiled generator and its help texts for `bin/toolgen.js`. Does nothing if the bundle is up to date, so that running processes keep
 * their files. The packages must be built.
 */
export async function bundle() {
  const times = JSON.stringify(
    Object.fromEntries(inputs.map((path) => [path, statSync(join(codegen, 'bin', path)).mtimeMs])),
  )
  const folder = join(codegen, 'bundle')
  const stamp = join(folder, 'inputs.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === times) return
  const dist = join(codegen, 'dist')
  const build = await rolldown({
    cwd: codegen,
    platform: 'node',
    input: {
      entry: join(dist, 'cli/entry.js'),
      'planner-thread': join(dist, 'watch/planner-thread.js'),
      index: join(dist, 'index.js'),
    },
    external: (id, importer) => packages.test(id) && !isReplaced(id, importer),
    plugins: [replaceModules],
    resolve: {
      // Without `source-map`, Handlebars compiles templates without source maps, which are not needed.
      alias: { handlebars: 'handlebars/dist/cjs/handlebars.js', 'source-map': false },
    },
  })
  const groups = chunks.map(([name, test], index) => ({ name, test, priority: chunks.length - index }))
  await build.write({ dir: folder, cleanDir: true, chunkFileNames: '[name].js', codeSplitting: { groups } })
  await build.close()
  writeFileSync(join(folder, 'help.json'), `${JSON.stringify(await helpTexts())}\n`)
  writeFileSync(join(folder, 'third-party.txt'), licenses())
  writeFileSync(stamp, times)
}

/** Builds the page of the studio into `assets` if it is out of date. The packages must be built. */
export async function bundlePage() {
  const client = join(studio, 'client')
  const sources = readdirSync(client, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const others = ['package.json', 'vite.config.mjs', '../../pnpm-lock.yaml', '../runtime/dist/.tsbuildinfo']
  const paths = [...sources, ...others.map((path) => join(studio, path))].sort()
  const times = JSON.stringify(
    Object.fromEntries(paths.map((path) => [relative(studio, path), statSync(path).mtimeMs])),
  )
  const stamp = join(studio, 'assets/inputs.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === times) return
  const vite = join(studio, 'node_modules/vite/bin/vite.js')
  // With another NODE_ENV, for example `test` in vitest, the page would contain paths of this machine and the development build of React.
  const env = { ...process.env, NODE_ENV: 'production' }
  const args = ['build', '--logLevel', 'warn', '--config', join(studio, 'vite.config.mjs')]
  const code = await node([vite, ...args], { env })
  if (code !== 0) throw new Error('The page of the studio cannot be built.')
  writeFileSync(stamp, times)
}

/** Returns the licences of the bundled packages. They require that every copy contains the licence. */
function licenses() {
  const { devDependencies } = JSON.parse(readFileSync(join(codegen, 'package.json'), 'utf8'))
  return Object.entries(devDependencies)
    .map(
      ([name, version]) =>
        `${name} ${version}\n\n${readFileSync(join(codegen, 'node_modules', name, 'LICENSE'), 'utf8')}`,
    )
    .join('\n\n')
}

/** Returns the texts of help and version, by the arguments of the command. commander formats them for 80 columns. */
async function helpTexts() {
  const load = (path) => import(pathToFileURL(join(codegen, 'dist/cli', path)).href)
  const { buildProgram } = await load('program.js')
  const { ownVersion } = await load('format.js')
  const version = `${ownVersion()}\n`
  const texts = { '--version': version, '-v': version }
  let printed = ''
  const print = (text) => {
    printed += text
  }
  const add = (command, path) => {
    printed = ''
    command.configureOutput({ getOutHelpWidth: () => 80 }).outputHelp()
    for (const option of ['--help', '-h']) texts[[...path, option].join('\0')] = printed
    for (const child of command.commands) add(child, [...path, child.name()])
  }
  add(buildProgram({ terminal: { out: print, note: print } }), [])
  return texts
}
