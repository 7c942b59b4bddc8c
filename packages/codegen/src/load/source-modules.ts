import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { ts as Compiler } from 'ts-morph'

/** The compiler of ts-morph: parsing alone, no checker. */
export type TypeScript = typeof Compiler

/** The design's modules as syntax trees, each parsed when it is first asked for. */
export interface SourceModules {
  readonly ts: TypeScript
  /** Relative to the root, sorted. */
  readonly files: readonly string[]
  parse(file: string): Compiler.SourceFile | undefined
  /** The module that an import in `from` names, if it is one of the design's. */
  resolve(from: string, specifier: string): string | undefined
}

/**
 * @param files relative to the root, with `/`
 */
export function openSourceModules(ts: TypeScript, root: string, files: readonly string[]): SourceModules {
  const parsed = new Map<string, Compiler.SourceFile>()
  const known = new Set(files)
  return {
    ts,
    files,
    parse(file) {
      if (!known.has(file) || file.endsWith('.json')) return undefined
      const done = parsed.get(file) ?? ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), 99, true)
      parsed.set(file, done)
      return done
    },
    resolve(from, specifier) {
      if (!specifier.startsWith('.')) return undefined
      const target = posix.join(posix.dirname(from), specifier)
      const bare = target.replace(/\.([cm]?)js$/, '.$1ts')
      const candidates = [target, bare, ...['.ts', '.js', '.mts', '.mjs'].flatMap((end) => [target + end])]
      return [...candidates, `${target}/index.ts`, `${target}/index.js`].find((file) => known.has(file))
    },
  }
}
