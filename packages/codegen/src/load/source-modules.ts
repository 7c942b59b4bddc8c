import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { ts as Compiler } from 'ts-morph'
import type { TypeScript } from '../compiler/load-compiler.js'
import { parseModule } from '../evaluate/parse-module.js'

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
 * @param parsed what is parsed already, by absolute path
 */
export function openSourceModules(
  ts: TypeScript,
  root: string,
  files: readonly string[],
  parsed: Map<string, Compiler.SourceFile>,
): SourceModules {
  const known = new Set(files)
  return {
    ts,
    files,
    parse(file) {
      if (!known.has(file) || file.endsWith('.json')) return undefined
      const path = join(root, file)
      const done = parsed.get(path) ?? parseModule(ts, path, readFileSync(path, 'utf8'))
      parsed.set(path, done)
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
