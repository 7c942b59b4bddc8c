/** What the text of an evaluated module says about what its evaluation depends on. */
export interface ModuleReading {
  /** Whether the files that are imported are all that it depends on, as far as its text tells. */
  readonly pure: boolean
  /** The specifiers of its imports that are not relative. */
  readonly packages: readonly string[]
}

/** Builtin modules whose answers depend on their arguments alone. */
const pureBuiltins: readonly string[] = ['path', 'url', 'util', 'assert', 'querystring', 'buffer', 'crypto']

const literalImport = /\b(?:from|import|require)\s*\(?\s*(['"])([^'"\n]+)\1/g

/** Imports whose target only evaluation knows, and values that differ from run to run or from machine to machine. */
const impure: readonly RegExp[] = [
  /\b(?:import|require)\s*\(\s*[^'"\s)]/,
  /\bimport\s*\/[*/]/,
  /\bprocess\??\.\w|=\s*process\b|\bprocess\[/,
  /\bimport\.meta\.(?:env|glob)/,
  /\bglobalThis\b/,
  /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\bperformance\b|\bfetch\s*\(|\brandom(?:UUID|Bytes)\b/,
]

/** Reads the text of a module for what it depends on. Doubtful text counts as impure: then all work is done each time. */
export function readModule(text: string, isBuiltin: (specifier: string) => boolean): ModuleReading {
  const specifiers = [...text.matchAll(literalImport)].map(([, , specifier = '']) => specifier)
  const bare = specifiers.filter((specifier) => !/^(?:\.|\/|file:)/.test(specifier))
  const builtins = bare.filter(isBuiltin)
  const pure =
    impure.every((pattern) => !pattern.test(text)) &&
    builtins.every((specifier) => pureBuiltins.includes(specifier.replace(/^node:/, '')))
  return { pure, packages: bare.filter((specifier) => !isBuiltin(specifier)) }
}
