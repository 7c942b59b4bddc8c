import type { ToolsetValue } from '@toolgen/dsl'
import { isObject, own } from '../../schema/json/json.js'
import { toJson } from '../../schema/json/to-json.js'
import type { OpenApiSourceIr, SchemaObject } from '../types.js'

/** Builds how an HTTP API serves the given tools of a toolset; `undefined` where the toolset does not say so. */
export function buildOpenApiSource({ openapi }: ToolsetValue, tools: readonly string[]): OpenApiSourceIr | undefined {
  const copied = openapi === undefined ? undefined : toJson(openapi)
  if (copied?.ok !== true || !isObject(copied.json)) return undefined
  const { server, security, operations } = copied.json
  const known = isObject(operations) ? operations : {}
  return {
    ...(typeof server === 'string' && { server }),
    ...(isObject(security) && { security }),
    operations: tools.flatMap((tool): readonly { readonly tool: string; readonly operation: SchemaObject }[] => {
      const operation = own(known, tool)
      return isObject(operation) ? [{ tool, operation }] : []
    }),
  }
}
