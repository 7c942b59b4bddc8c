import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readLive } from './mcp-server.js'

it('ends the connection to a server that does not respond within the time limit', async () => {
  const origin = { command: [process.execPath, '-e', 'process.stdin.resume()'] }
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { value, diagnostics } = await readLive(origin, root, { login: false, command: '', timeLimit: 1 })
  expect(value).toBeUndefined()
  expect(diagnostics).toMatchObject([
    {
      code: 'TG0012',
      message: expect.stringMatching(/^The server `.*` did not list its tools: no response within 0\.001 s\.$/),
    },
  ])
})
