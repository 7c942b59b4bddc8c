import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import remapping from '@jridgewell/remapping'
import { moduleRunnerTransformSync, transformSync } from 'oxc-transform'
import { isFile } from '../files.js'
import { importedBy } from './module-cache.js'

/** Syntax that only the compiler of jiti supports. */
const special: RegExp = /\b__vite_ssr_(?:import_meta|dynamic_import)__|\brequire\s*\(/

const needsRequire: RegExp = /\brequire\s*\(/

const quoted: RegExp = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

/**
 * Much faster than the compiler of jiti, but changes line numbers. To report an error, toolgen therefore evaluates the module again with the compiler
 * of jiti. Returns `undefined` if only the compiler of jiti can compile the module.
 */
export function compileModule(file: string, text: string): string | undefined {
  const module = transformed(file, text, special, false)
  return module && prelude(file, module.deps) + module.code
}

/**
 * Supports `import.meta` and dynamic imports, in contrast to `compileModule`. After `process.setSourceMapsEnabled(true)`, stack traces show the lines
 * of the source, so an error needs no second evaluation. Returns `undefined` if only the compiler of jiti can compile the module.
 */
export function compileWithSourceMap(file: string, text: string): string | undefined {
  const module = transformed(file, text, needsRequire, true)
  if (module === undefined) return undefined
  const { code, deps, dynamicDeps, maps } = module
  const start = `(async (exports, module, jitiImport, jitiESMResolve) => {
${prelude(file, [...deps, ...dynamicDeps])}const __vite_ssr_dynamic_import__ = __vite_ssr_import__
const __vite_ssr_import_meta__ = ${importMeta(file)}
`
  const body = `${start}${code}\n})`
  if (!isScript(body)) return undefined
  const { mappings, ...others } = remapping([...maps], () => null)
  const lines = ';'.repeat(start.split('\n').length - 1)
  const whole = JSON.stringify({ ...others, sources: [file], mappings: `${lines}${mappings}` })
  const data = Buffer.from(whole).toString('base64')
  const mapped = `${body}\n//# sourceURL=${file}\n//# sourceMappingURL=data:application/json;base64,${data}`
  // Node reads the source maps of evaluated texts, but not those of other scripts.
  return `return (0, eval)(${JSON.stringify(mapped)})(exports, module, jitiImport, jitiESMResolve)`
}

interface TransformedModule {
  readonly code: string
  readonly deps: readonly string[]
  readonly dynamicDeps: readonly string[]
  /** Source maps of the two compilation steps, with the second step first. */
  readonly maps: readonly InputMap[]
}

function transformed(
  file: string,
  text: string,
  unsupported: RegExp,
  sourcemap: boolean,
): TransformedModule | undefined {
  const script = transformSync(file, text, { jsx: 'preserve', sourcemap })
  if (script.errors.length > 0) return undefined
  const module = moduleRunnerTransformSync(`${file}.js`, script.code, { sourcemap })
  const { code, deps, dynamicDeps, errors } = module
  if (errors.length > 0 || (unsupported.test(code) && unsupported.test(code.replace(quoted, "''")))) return undefined
  // Source maps of `oxc-transform` have a type that differs from `InputMap` only in `version`.
  return { code, deps, dynamicDeps, maps: [module.map, script.map].flatMap((map) => (map as InputMap) ?? []) }
}

type InputMap = Exclude<Parameters<typeof remapping>[0], readonly unknown[]>

/** Node rejects some syntax, such as decorators, that the compiler of jiti supports. */
function isScript(text: string): boolean {
  try {
    return new Script(text) instanceof Script
  } catch {
    return false
  }
}

function importMeta(file: string): string {
  const facts = JSON.stringify({ url: pathToFileURL(file).href, filename: file, dirname: dirname(file) })
  return `{ ...${facts}, resolve: (specifier) => jitiESMResolve(specifier) }`
}

/**
 * Lists the files of relative imports, because jiti would try many paths to find them. If a CommonJS module has no default export, the module itself
 * is the default export.
 */
function prelude(file: string, specifiers: readonly string[]): string {
  return `module.${importedBy} = [];
const __vite_ssr_import__ = async (id) => {
  const path = (${JSON.stringify(simplePaths(file, specifiers))})[id] ?? id
  module.${importedBy}.push(path)
  const loaded = await jitiImport(path)
  const found = Object(loaded)
  return found.__esModule || 'default' in found ? loaded : Object.assign(Object.create(found), { default: loaded })
};
const __vite_ssr_exportAll__ = (found) => {
  for (const name in found) {
    if (name === 'default' || Object.hasOwn(exports, name)) continue
    Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => found[name] })
  }
};
const __vite_ssr_exports__ = Object.defineProperty(exports, '__esModule', { value: true });
`
}

function simplePaths(file: string, specifiers: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    specifiers.flatMap((specifier) => {
      if (!/^\.\.?\//.test(specifier)) return []
      const named = join(dirname(file), specifier)
      const path = [named, named.replace(/\.([cm]?)js$/, '.$1ts')].find(isFile)
      return path === undefined ? [] : [[specifier, path]]
    }),
  )
}
