import type { JsonObject } from './json.js'

/**
 * Question of an MCP server to the user during a call: a form, or a web page that the user must visit. The runtime
 * never opens the page. Show the whole URL to the user, and open the page only if the user agrees.
 */
export type McpQuestion =
  | {
      readonly mode: 'form'
      /** Text of the server for the user. Do not trust this text. */
      readonly message: string
      /** JSON Schema of the answer: an object whose properties are strings, numbers, booleans or arrays of strings. */
      readonly schema: JsonObject
    }
  | {
      readonly mode: 'url'
      /** Text of the server for the user. Do not trust this text. */
      readonly message: string
      /** Address of the page. Do not trust this address. */
      readonly url: string
    }

/**
 * Answer to a question of an MCP server. `accept`: the user has filled in the form or agreed to visit the page.
 * `decline`: the user refused. `cancel`: the user did not answer.
 */
export type McpAnswer =
  | {
      readonly action: 'accept'
      /** Values of the form, which must match the schema of the question. Default: an empty object. Ignored for the mode `url`. */
      readonly content?: JsonObject
    }
  | { readonly action: 'decline' | 'cancel' }

/** Questions with which an MCP server interrupts a call. Plain data that can be serialized as JSON. */
export interface McpElicitation {
  /** Questions, by the keys that the server chose. Contains at least one question. */
  readonly questions: Readonly<Record<string, McpQuestion>>
  /**
   * State of the call, encoded by the server, or by the `McpCaller` if the server runs the call as a task. The runtime passes this state back
   * unchanged, together with the answers. Absent if the server sent no state.
   */
  readonly requestState?: string
}
