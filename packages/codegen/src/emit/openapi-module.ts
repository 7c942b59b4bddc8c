import type { ToolsetIr } from '../ir/types.js'
import type { ImportedModule } from './import-set.js'

/** The part of the runtime that sends the requests of tools. */
export const openApiRuntime: ImportedModule = { specifier: '@toolgen/runtime/openapi' }

/** The file of a toolset that says how an HTTP API serves it. */
export function openApiModule({ names }: ToolsetIr): ImportedModule & { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/openapi` }
}
