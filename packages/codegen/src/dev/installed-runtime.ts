import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { ownPath } from '../files.js'

/**
 * Entry points of the runtime and the studio. This package does not depend on these packages, so the entry points are loaded from the installed
 * packages of the project.
 */
type InstalledEntry =
  | '@toolgen/runtime'
  | '@toolgen/runtime/mcp'
  | '@toolgen/runtime/testing'
  | '@toolgen/runtime/code-mode'
  | '@toolgen/runtime/openapi'
  | '@toolgen/runtime/codegen/v1'
  | '@toolgen/runtime/projections'
  | '@toolgen/studio'

/** A function or class of the installed runtime. Its types are unknown, because the runtime is loaded dynamically. */
export type Installed = (...args: readonly never[]) => unknown

/** Loads a function or class from an entry point. Uses the version that modules in `folder` (an absolute path) import. */
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

/**
 * Returns the folder for loading the runtime in a command without a project. Returns `folder` if the runtime is installed in `folder`. In all other
 * cases, returns the folder of this package.
 */
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

/** Returns the first line of an error's message and the first line of its cause's message, for example `fetch failed: connect ECONNREFUSED`. */
export function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const what = line.replace(/\.$/, '')
  return error instanceof Error && error.cause !== undefined ? `${what}: ${messageOf(error.cause)}` : what
}
