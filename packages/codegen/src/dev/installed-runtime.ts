import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { ownPath } from '../files.js'

/** toolgen does not depend on these packages, and loads the versions that the project has installed. */
type InstalledEntry =
  | '@toolgen/runtime'
  | '@toolgen/runtime/mcp'
  | '@toolgen/runtime/testing'
  | '@toolgen/runtime/code-mode'
  | '@toolgen/runtime/openapi'
  | '@toolgen/runtime/codegen/v1'
  | '@toolgen/runtime/projections'
  | '@toolgen/studio'

/** TypeScript does not know the type, because the runtime is loaded dynamically. */
export type Installed = (...args: readonly never[]) => unknown

export async function loadInstalled(entry: InstalledEntry, name: string, folder: string): Promise<Checked<Installed>> {
  let module: object
  try {
    module = await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(entry)).href)
  } catch (error) {
    return { diagnostics: [notInstalled(entry, messageOf(error))] }
  }
  const found: unknown = Reflect.get(module, name)
  if (!isFunction(found)) return { diagnostics: [notInstalled(entry, `it has no \`${name}\``)] }
  return { value: found, diagnostics: [] }
}

/** For commands that have no project. */
export function runtimeFolder(folder: string): string {
  try {
    createRequire(join(folder, 'package.json')).resolve('@toolgen/runtime/mcp')
    return folder
  } catch {
    return ownPath('')
  }
}

function isFunction(value: unknown): value is Installed {
  return typeof value === 'function'
}

function notInstalled(entry: InstalledEntry, why: string): Diagnostic {
  const message = `Cannot load \`${entry}\` from the project: ${why}.`
  const next =
    entry === '@toolgen/studio'
      ? 'Install the studio in the project: `npm install --save-dev @toolgen/studio`.'
      : 'Install the packages in the project: `npm install @toolgen/runtime @modelcontextprotocol/client @modelcontextprotocol/server`.'
  return errorAt(undefined, 'TG0013', message, next)
}

export function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const what = line.replace(/\.$/, '')
  return error instanceof Error && error.cause !== undefined ? `${what}: ${messageOf(error.cause)}` : what
}
