import type { JsonObject } from './json.js'

/**
 * Question of an MCP server to the user during a call: a form, or a web page that the user must visit. The runtime never opens the page.
 * Show the whole URL and open it only if the user agrees.
 */
export type McpQuestion =
  | {
      readonly mode: 'form'
      /** Text that the server wants the user to read. Not trusted. */
      readonly message: string
      /** JSON Schema of the answer: an object whose properties are strings, numbers, booleans or arrays of strings. */
      readonly schema: JsonObject
    }
  | {
      readonly mode: 'url'
      /** Text that the server wants the user to read. Not trusted. */
      readonly message: string
      /** Address of the page. Not trusted. */
      readonly url: string
    }

/**
 * Answer to a question of an MCP server. `accept`: the user has filled in the form or agreed to visit the page. `decline`: the user said no.
 * `cancel`: the user did not answer.
 */
export type McpAnswer =
  | {
      readonly action: 'accept'
      /** Values of the form as its schema requires them. Default: an empty object. Ignored for the mode `url`. */
      readonly content?: JsonObject
    }
  | { readonly action: 'decline' | 'cancel' }

/** Questions with which an MCP server interrupts a call. Plain data that can be serialized as JSON. */
export interface McpElicitation {
  /** Key that the server chose → question. At least one. */
  readonly questions: Readonly<Record<string, McpQuestion>>
  /** State of the call on the server. Sent back unchanged with the answers. Absent if the server sent none. */
  readonly requestState?: string
}
