import { byteLength, mediaPart, mediaProblem } from '../call/content.js'
import { shorten } from '../call/value-text.js'
import { CHAT_MEDIA, chatPart } from '../chat/result-content.js'
import { isFields } from '../schema/json-values.js'
import { expandUriTemplate } from '../schema/uri-template.js'
import type { ChatAssistantMessage, ChatContentPart, ChatUserMessage } from '../types/chat.js'
import type {
  McpCaller,
  McpExecutor,
  McpReadOptions,
  McpRequestOptions,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
} from '../types/mcp.js'

const LONGEST_RESOURCE = 20_000

/** Chat message of an MCP prompt. Pass the messages of a prompt to an agent run or a model. */
export type McpPromptMessage = ChatUserMessage | ChatAssistantMessage

/**
 * Functions that read resources of an MCP server, without an agent and its layers. Generated clients of servers with resources contain these
 * functions.
 */
export interface McpResources {
  /** Lists the resources of the server. Rejects with an `McpCallError` if the request fails. */
  readonly listResources: (options?: McpRequestOptions) => Promise<readonly McpResource[]>
  /** Lists the resource templates of the server. Rejects with an `McpCallError` if the request fails. */
  readonly listResourceTemplates: (options?: McpRequestOptions) => Promise<readonly McpResourceTemplate[]>
  /**
   * Reads a resource. Rejects with an `McpCallError`, for example with the code `refused` if the server does not have
   * this resource.
   */
  readonly readResource: (uri: string, options?: McpReadOptions) => Promise<readonly McpResourceContents[]>
}

/** Creates functions that read resources of an MCP server through the connection of `executor`. Called by generated clients. */
export function mcpResources(executor: Pick<McpExecutor, 'caller'>): McpResources {
  return {
    listResources: async (options) => (await callerWith(executor, 'listResources')).listResources(options),
    listResourceTemplates: async (options) =>
      (await callerWith(executor, 'listResourceTemplates')).listResourceTemplates(options),
    readResource: async (uri, options) => (await callerWith(executor, 'readResource')).readResource(uri, options),
  }
}

/**
 * Creates the URI of a resource from a URI template, and reads the resource. Called by generated clients.
 *
 * @param uriTemplate URI template of the resource, for example `file:///{path}`
 * @param variables values of the template's variables: strings, or arrays of strings for a list such as `{/path*}`
 * @throws {TypeError} if a variable is missing, unknown or not a string.
 * @throws {McpCallError} if the request fails, for example `refused` if the server does not have this resource.
 */
export async function mcpResource(
  executor: Pick<McpExecutor, 'caller'>,
  uriTemplate: string,
  variables: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  options: McpReadOptions = {},
): Promise<readonly McpResourceContents[]> {
  const uri = expandUriTemplate(uriTemplate, variables)
  return (await callerWith(executor, 'readResource')).readResource(uri, options)
}

/**
 * Requests a prompt from an MCP server. Returns the prompt as chat messages. Called by generated clients. Images and audio become parts of user
 * messages. An embedded resource becomes text of at most 20,000 characters. A resource link becomes a line with its URI.
 *
 * @param name name of the prompt on the server
 * @throws {McpCallError} if the request fails, for example `refused` if the server rejects the arguments.
 * @throws {TypeError} if the response contains no messages.
 */
export async function mcpPrompt(
  executor: Pick<McpExecutor, 'caller'>,
  name: string,
  args: Readonly<Record<string, string | undefined>> = {},
  options: McpRequestOptions = {},
): Promise<readonly McpPromptMessage[]> {
  const caller = await callerWith(executor, 'getPrompt')
  const set = Object.entries(args).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const answer = await caller.getPrompt(name, Object.fromEntries(set), options)
  const messages: unknown = 'messages' in answer ? answer.messages : undefined
  if (!Array.isArray(messages))
    throw new TypeError(`The response of the MCP server to the prompt '${name}' has no messages.`)
  return messages.map((message: unknown, index) => {
    const [role, content] = isFields(message) ? [message.role, message.content] : []
    const isMessage = (role === 'user' || role === 'assistant') && isFields(content)
    if (!isMessage) throw new TypeError(`Message ${index + 1} of the prompt '${name}' has no valid role and content.`)
    const part = promptPart(content)
    if (part.type === 'text') return { role, content: part.text }
    // Only messages of users can contain images and audio.
    return { role: 'user', content: [part] }
  })
}

function promptPart(block: Readonly<Record<string, unknown>>): ChatContentPart {
  const { type, text, mimeType, data, resource } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  const file = typeof mimeType === 'string' && typeof data === 'string' ? chatFile(mimeType, data) : undefined
  if (file !== undefined) return file
  if (type === 'resource' && isFields(resource)) {
    const { uri, mimeType: kind, text: written, blob } = resource
    if (typeof kind === 'string' && typeof blob === 'string') {
      const embedded = chatFile(kind, blob)
      if (embedded !== undefined) return embedded
    }
    const facts = factsText([uri, kind])
    if (typeof written === 'string') return { type: 'text', text: `${facts}\n${shorten(written, LONGEST_RESOURCE)}` }
    const bytes = typeof blob === 'string' ? `${byteLength(blob)} bytes, not shown` : 'not shown'
    return { type: 'text', text: `${facts} (${bytes})` }
  }
  if (type === 'resource_link')
    return { type: 'text', text: factsText([block.uri, block.title ?? block.name, mimeType]) }
  return { type: 'text', text: `Content of the type '${String(type)}' is not shown.` }
}

function chatFile(mediaType: string, data: string): ChatContentPart | undefined {
  const part = mediaPart(mediaType, data)
  const isTaken = part !== undefined && mediaProblem(part.mediaType, byteLength(data), CHAT_MEDIA) === undefined
  return isTaken ? chatPart(part) : undefined
}

function factsText(facts: readonly unknown[]): string {
  return `Resource: ${facts.filter((fact) => typeof fact === 'string').join(', ')}`
}

async function callerWith<Method extends 'listResources' | 'listResourceTemplates' | 'readResource' | 'getPrompt'>(
  executor: Pick<McpExecutor, 'caller'>,
  method: Method,
): Promise<McpCaller & Required<Pick<McpCaller, Method>>> {
  const caller = await executor.caller()
  if (has(caller, method)) return caller
  throw new TypeError(
    `The MCP caller has no method '${method}'. Use a caller of '@toolgen/runtime/mcp', or add the method.`,
  )
}

function has<Method extends keyof McpCaller>(
  caller: McpCaller,
  method: Method,
): caller is McpCaller & Required<Pick<McpCaller, Method>> {
  return typeof caller[method] === 'function'
}
