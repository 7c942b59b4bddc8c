// `npm run api [-- --check]`: writes the API reference to the folder `api`, from the doc comments of all public exports. Fails if a link is broken
// or an export has no comment. With `--check`, writes no files.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values
const packages = ['dsl', 'codegen', 'runtime', 'studio'].map(read)
const entries = packages.flatMap(entriesOf)

await setUp()
const { Application } = await import('typedoc')
process.chdir(root)
const app = await Application.bootstrap({
  name: 'toolgen',
  tsconfig: 'tsconfig.json',
  entryPoints: entries.map(({ source }) => source),
  out: 'api',
  readme: 'none',
  disableSources: true,
  // The build has checked the types.
  skipErrorChecking: true,
  requiredToBeDocumented: ['Module', 'Class', 'Interface', 'TypeAlias', 'Function', 'Variable', 'Method', 'Accessor'],
  packagesRequiringDocumentation: packages.map(({ manifest }) => manifest.name),
  validation: { invalidLink: true, rewrittenLink: true, notDocumented: true },
})
const project = await app.convert()
if (project !== undefined) {
  for (const each of project.children) each.name = entries.find(({ module }) => module === each.name).specifier
  app.validate(project)
  if (!check) await app.generateOutputs(project)
}
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0

function read(name) {
  const folder = `packages/${name}`
  return { folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }
}

/** Returns the public entries of a package: source file, module name in typedoc, and import specifier. */
function entriesOf({ folder, manifest }) {
  return Object.entries(manifest.exports)
    .filter(([, targets]) => targets.types !== undefined)
    .map(([path, { types }]) => {
      const source = types.replace('./dist', `${folder}/src`).replace('.d.ts', '.ts')
      if (!existsSync(join(root, source))) throw new Error(`There is no ${source}.`)
      const module = source.replace(/^packages\/|(?:\/index)?\.ts$/g, '')
      return { source, module, specifier: manifest.name + path.slice(1) }
    })
}
