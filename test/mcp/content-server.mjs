// An MCP server with resources and prompts, for both protocols. Run as a program, it serves stdio.
import { fileURLToPath } from 'node:url'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export function newServer() {
  const server = new McpServer({ name: 'content', version: '1.0.0' })
  const notes = { title: 'Notes', mimeType: 'text/plain' }
  server.registerResource('notes', 'memo://notes', notes, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Call Ada.' }],
  }))
  server.registerResource('logo', 'memo://logo', {}, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }))
  server.registerResource(
    'daily-note',
    new ResourceTemplate('memo://days/{day}{?lang}', { list: undefined }),
    { description: 'Note of a day.', mimeType: 'text/plain' },
    ({ href }, variables) => ({ contents: [{ uri: href, text: JSON.stringify(variables) }] }),
  )
  const user = (content) => ({ messages: [{ role: 'user', content }] })
  server.registerPrompt(
    'code-review',
    {
      description: 'Reviews code.',
      argsSchema: z.object({ language: z.string().describe('Language of the code'), focus: z.string().optional() }),
    },
    ({ language, focus = 'everything' }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Review this ${language} for ${focus}.` } },
        { role: 'assistant', content: { type: 'text', text: 'Send the code.' } },
      ],
    }),
  )
  server.registerPrompt('picture', {}, () => user({ type: 'image', mimeType: 'image/png', data: png }))
  server.registerPrompt('memo', {}, () =>
    user({
      type: 'resource',
      resource: { uri: 'memo://notes', mimeType: 'text/plain', text: 'Call Ada. '.repeat(9_000) },
    }),
  )
  server.registerPrompt('link', {}, () =>
    user({ type: 'resource_link', uri: 'memo://notes', name: 'notes', mimeType: 'text/plain' }),
  )
  server.registerTool('find', { description: 'Finds notes.', inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'resource_link', uri: 'memo://notes', name: 'notes', mimeType: 'text/plain' },
      { type: 'resource', resource: { uri: 'memo://logo', mimeType: 'image/png', blob: png } },
    ],
  }))
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveStdio(newServer)
