/** Parts of the source of an MCP server, as JavaScript. */
interface ListingServer {
  /** Statements that run when the server starts. Can use `readFileSync` and `appendFileSync`. Default: no statements. */
  readonly setup?: string
  /** Expression for the name of the server. */
  readonly name: string
  /** Expression for the response to `tools/list` as JSON text. JSON text can contain values that are nested too deeply for `JSON.stringify`. */
  readonly listed: string
}

/** Returns the source of an MCP server over stdio that only lists tools. */
export function listingServer({ setup = '', name, listed }: ListingServer): string {
  return `import { appendFileSync, readFileSync } from 'node:fs'
${setup}
const serverInfo = { name: ${name}, version: '1' }
const initialized = JSON.stringify({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo })
const listed = ${listed}
const answers = { initialize: initialized, 'tools/list': listed }
let text = ''
process.stdin.on('data', (chunk) => {
  const lines = (text + chunk).split('\\n')
  text = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (id !== undefined) console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + (answers[method] ?? '{}') + '}')
  }
})
`
}
