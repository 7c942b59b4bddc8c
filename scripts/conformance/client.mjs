// The MCP client under test. A suite starts it with the URL of a server.
import { clientCredentials, httpCaller, loopbackLogin, oauth } from '../../packages/runtime/dist/mcp.js'

const url = process.argv[2]
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const auth = scenario.startsWith('auth/') ? { auth: await newAuth() } : {}
const caller = httpCaller({ url, client: { name: 'toolgen', version: '0.1.0' }, elicit: accepted, ...auth })
const { signal } = new AbortController()

/** Calls by scenario. Default: one call of each tool of the server. */
const calls = {
  initialize: [],
  tools_call: [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'sse-retry': [{ name: 'test_reconnection', arguments: {} }],
  'json-schema-ref-no-deref': [],
}[scenario]

try {
  const tools = await caller.listTools()
  for (const call of calls ?? context.toolCalls ?? tools.map(plainCall)) {
    const tool = tools.find(({ name }) => name === call.name)
    if (tool === undefined) throw new Error(`The server does not list the tool ${call.name}.`)
    const { content } = await caller.callTool(call, { signal })
    if (content?.[0]?.type !== 'text') throw new Error(`The result has no text: ${JSON.stringify(content)}`)
  }
} finally {
  await caller.close()
}

/** Accepts an elicitation. Fills the form with defaults, and with a value of the right type for other fields. */
function accepted({ schema = {} }) {
  const values = { string: 'x', number: 1, integer: 1, boolean: true, array: [] }
  const fields = Object.entries(schema.properties ?? {})
  const content = fields.map(([name, field]) => [name, field.default ?? field.enum?.[0] ?? values[field.type]])
  return { action: 'accept', content: Object.fromEntries(content) }
}

/** Creates the authentication for the scenario. The suite has no login page: it redirects immediately. */
async function newAuth() {
  const { client_id: id, client_secret: secret } = context
  const issuer = id === undefined ? undefined : (context.issuer ?? (await readIssuer()))
  if (scenario.includes('client-credentials')) return clientCredentials({ clientId: id, clientSecret: secret, issuer })
  return oauth({
    login: loopbackLogin({ open: (page) => fetch(page), timeoutMs: 5_000 }),
    ...(id === undefined
      ? { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }
      : { client: { id, secret, issuer } }),
  })
}

/** Reads the URL of the authorization server from the metadata of the MCP server. A user would know this URL. */
async function readIssuer() {
  const refused = await fetch(url, { method: 'POST' })
  const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')) ?? []
  const metadata = await fetch(metadataUrl ?? new URL('/.well-known/oauth-protected-resource/mcp', url))
  return (await metadata.json()).authorization_servers[0]
}

function plainCall({ name, inputSchema }, _, tools) {
  const { properties = {} } = inputSchema
  // One tool of the suite expects the schema of another tool, as the client has received it.
  const echo = Object.keys(properties).find((key) => /schema/i.test(key))
  const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema
  const given = Object.entries(properties).map(([key, { type }]) => [key, type === 'string' ? 'x' : undefined])
  return { name, arguments: echo === undefined ? Object.fromEntries(given) : { [echo]: schema } }
}
