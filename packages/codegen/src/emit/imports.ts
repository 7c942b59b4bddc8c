import { byCodePoint, lineWidth, stringText } from '../text.js'

/** A module as generated code refers to it. */
export type ImportedModule =
  /** As it is written. */
  | { readonly specifier: string }
  /** Another generated file: its path below the output folder without its extension. */
  | { readonly generated: string }

/** The one module of the runtime that generated code imports. */
export const runtimeModule: ImportedModule = { specifier: '@toolgen/runtime/codegen/v1' }

/** What one generated file imports. Collected while its view is built; written out last. */
export interface ImportSet {
  /** Imports a value; answers the name that it has in this file. */
  value(module: ImportedModule, name: string): string
  /** Imports a type; answers the name that it has in this file. */
  type(module: ImportedModule, name: string): string
  /** Imports all values of a module as an object; answers the object's name. */
  values(module: ImportedModule, name: string): string
  /** Imports all types of a module under one name; answers that name. */
  types(module: ImportedModule, name: string): string
  /** The import statements: packages first, then relative modules; one line each where they fit. */
  text(): string
}

/** Where a file stands and what its own names are. */
export interface ImportingFile {
  /** Its path below the output folder. */
  readonly path: string
  /** What ends the specifier of a relative module, e.g. `.js`. */
  readonly extension: string
  /**
   * The generated files that are JavaScript, by their paths without extension. Their specifiers end in `.js` whatever
   * the others end in, because no resolver takes `.ts` for it and some look for nothing but `.ts` where it is left out.
   */
  readonly scripts: ReadonlySet<string>
  /** What the file itself declares; an import of that name gets another one. */
  readonly declares: readonly string[]
}

interface Imported {
  readonly module: ImportedModule
  readonly name: string
  readonly local: string
  readonly whole: boolean
  isType: boolean
}

/** An empty set of imports for one file. */
export function importSet(file: ImportingFile): ImportSet {
  const taken = new Set(file.declares)
  const imported = new Map<string, Imported>()
  const add = (module: ImportedModule, name: string, whole: boolean, isType: boolean): string => {
    const key = JSON.stringify([module, name, whole])
    const known = imported.get(key)
    if (known !== undefined) {
      known.isType &&= isType
      return known.local
    }
    let local = name
    while (taken.has(local)) local += '_'
    taken.add(local)
    imported.set(key, { module, name, local, whole, isType })
    return local
  }
  return {
    value: (module, name) => add(module, name, false, false),
    type: (module, name) => add(module, name, false, true),
    values: (module, name) => add(module, name, true, false),
    types: (module, name) => add(module, name, true, true),
    text: () => importText([...imported.values()], file),
  }
}

function importText(imported: readonly Imported[], file: ImportingFile): string {
  const bySpecifier = new Map<string, Imported[]>()
  for (const one of imported) {
    const specifier = specifierOf(one.module, file)
    bySpecifier.set(specifier, [...(bySpecifier.get(specifier) ?? []), one])
  }
  return [...bySpecifier]
    .sort(([a], [b]) => Number(a.startsWith('.')) - Number(b.startsWith('.')) || byCodePoint(a, b))
    .flatMap(([specifier, names]) => [
      ...names.filter((one) => one.whole).map((one) => wholeText(one, specifier)),
      ...namedText(
        names.filter((one) => !one.whole),
        specifier,
      ),
    ])
    .join('\n')
}

function wholeText(one: Imported, specifier: string): string {
  return `import ${one.isType ? 'type ' : ''}* as ${one.local} from ${stringText(specifier)}`
}

function namedText(names: readonly Imported[], specifier: string): readonly string[] {
  if (names.length === 0) return []
  const typesOnly = names.every((one) => one.isType)
  const items = [...names]
    .sort((a, b) => byCodePoint(a.name.toLowerCase(), b.name.toLowerCase()) || byCodePoint(a.name, b.name))
    .map((one) => {
      const name = one.name === one.local ? one.name : `${one.name} as ${one.local}`
      return one.isType && !typesOnly ? `type ${name}` : name
    })
  const keyword = typesOnly ? 'import type' : 'import'
  const flat = `${keyword} { ${items.join(', ')} } from ${stringText(specifier)}`
  if (flat.length <= lineWidth) return [flat]
  return [`${keyword} {\n${items.map((item) => `  ${item},\n`).join('')}} from ${stringText(specifier)}`]
}

function specifierOf(module: ImportedModule, file: ImportingFile): string {
  return 'specifier' in module ? module.specifier : generatedSpecifier(module.generated, file)
}

/** How a file refers to another generated one, of which the path without extension is given. */
export function generatedSpecifier(generated: string, file: ImportingFile): string {
  return relativeSpecifier(file.path, `${generated}${file.scripts.has(generated) ? '.js' : file.extension}`)
}

/** The way from one path to another, both with `/` and below the same folder: `./types.js`, `../../design/clients.js`. */
export function relativeSpecifier(from: string, to: string): string {
  const here = from.split('/').slice(0, -1)
  const there = to.split('/')
  let shared = 0
  while (shared < here.length && here[shared] === there[shared]) shared += 1
  const up = here.length - shared
  return `${up === 0 ? './' : '../'.repeat(up)}${there.slice(shared).join('/')}`
}
