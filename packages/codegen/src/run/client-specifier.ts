import { posix } from 'node:path'
import type { ResolvedConfig } from '../config/toolgen-config.js'

/** How a module's own extension is written in an import of it. */
const emittedExtensions: ReadonlyMap<string, string> = new Map([
  ['.ts', '.js'],
  ['.tsx', '.js'],
  ['.jsx', '.js'],
  ['.mts', '.mjs'],
  ['.cts', '.cjs'],
])

/**
 * The specifier by which a generated file imports a client's module: the one of the configuration's import map, else the
 * relative path with the extension that the configuration asks for.
 *
 * @param module the client's module, relative to the root
 * @param fromFile the generated file, relative to the output folder
 */
export function clientSpecifier(
  { output, importExtension, importMap }: Pick<ResolvedConfig, 'output' | 'importExtension' | 'importMap'>,
  module: string,
  fromFile: string,
): string {
  if (Object.hasOwn(importMap, module)) return importMap[module] ?? module
  const path = posix.relative(posix.dirname(posix.join(output, fromFile)), module)
  const relative = path.startsWith('.') ? path : `./${path}`
  const extension = posix.extname(relative)
  const stem = relative.slice(0, relative.length - extension.length)
  if (importExtension === '.ts') return relative
  // Only `.ts` and `.js` may be left out: a resolver would never look for the others.
  if (importExtension === '') return /^\.[jt]sx?$/.test(extension) ? stem : `${stem}${emitted(extension)}`
  return `${stem}${emitted(extension)}`
}

function emitted(extension: string): string {
  return emittedExtensions.get(extension) ?? extension
}
