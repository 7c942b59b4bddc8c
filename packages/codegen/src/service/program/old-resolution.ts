import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ts } from 'ts-morph'

/**
 * How tsc would resolve modules, where that finds no entry that `exports` of a package.json declare: generated code imports such
 * entries. `undefined` where it finds them, and where it is not known which compiler the project has.
 *
 * @param options what the user's tsconfig says, without defaults
 * @param root the project's root: absolute
 */
export function oldResolution(options: ts.CompilerOptions, root: string, compiler: typeof ts): string | undefined {
  const { ModuleKind, ModuleResolutionKind } = compiler
  const { module, moduleResolution } = options
  if (moduleResolution === ModuleResolutionKind.Classic) return '"moduleResolution": "classic"'
  if (moduleResolution === ModuleResolutionKind.Node10) return '"moduleResolution": "node10"'
  const isModern = module !== undefined && (module >= ModuleKind.Node16 || module === ModuleKind.Preserve)
  if (moduleResolution !== undefined || isModern || !hasOldDefaults(root)) return undefined
  return module === undefined ? 'no "module"' : `"module": "${ModuleKind[module].toLowerCase()}"`
}

/** Before TypeScript 6, every `module` but those of Node.js resolved as Node.js 10 did, or worse. */
function hasOldDefaults(root: string): boolean {
  const require = createRequire(join(root, 'package.json'))
  try {
    const { version }: { readonly version: string } = require('typescript/package.json')
    return Number.parseInt(version, 10) < 6
  } catch {
    return false
  }
}
