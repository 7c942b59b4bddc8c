import type { McpOrigin } from './origin.js'

/**
 * Why a server did not tell its tools, for a sentence that has said already which server it is; nothing twice, whatever an
 * error quotes of its cause.
 *
 * @param error what the caller of the installed runtime threw
 * @param origin where the server was asked, variables filled in
 */
export function whySilent(error: unknown, origin: McpOrigin): string {
  const said = `no connection to the MCP server ${'url' in origin ? origin.url : origin.command.join(' ')}`
  const parts = messagesOf(error).map((message) => {
    const news = message.startsWith(said) ? message.slice(said.length).replace(/^: /, '') : message
    return (news.split('\n')[0] ?? '').replace(/\.$/, '')
  })
  return parts
    .filter((part, index) => !parts.slice(0, index).some((earlier) => earlier.includes(part)) && part !== '')
    .join(': ')
    .replace(/^the server (?=ended\b)/, 'it ')
}

function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [error.message, ...(error.cause === undefined ? [] : messagesOf(error.cause))]
}
