import { expect, it } from 'vitest'
import { connectionError } from './mcp-server.js'
import type { McpOrigin } from './origin.js'

const started: McpOrigin = { command: ['node', '-e', 'two\nlines'] }
const unreachable = 'cannot connect to the MCP server node -e two\nlines'

it.each<[unknown, McpOrigin, string]>([
  [
    new Error(`${unreachable}: the server ended with code 1 before it responded: Error: API_KEY is not set`, {
      cause: new Error('the server ended with code 1 before it responded: Error: API_KEY is not set'),
    }),
    started,
    'it ended with code 1 before it responded: Error: API_KEY is not set',
  ],
  [new Error(unreachable, { cause: new Error('spawn node ENOENT') }), started, 'spawn node ENOENT'],
  [
    new Error('cannot connect to the MCP server http://a/: fetch failed', { cause: new Error('ECONNREFUSED') }),
    { url: 'http://a/' },
    'fetch failed: ECONNREFUSED',
  ],
  [new Error('Unauthorized.'), { url: 'http://a/' }, 'Unauthorized'],
  ['no error', started, 'no error'],
])('says of %s what does not stand in the sentence yet', (error, origin, why) => {
  expect(connectionError(error, origin)).toBe(why)
})
