// An MCP server of the official SDK whose tools ask the user with protocol 2026-07-28. Run as a program, it serves stdio.
import { fileURLToPath } from 'node:url'
import { createRequestStateCodec, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const said = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const { mint, verify } = createRequestStateCodec({ key: 'k'.repeat(32) })
const seats = z.object({ seats: z.int().min(1) })
const city = z.object({ city: z.string() })

export function askingServer() {
  const server = new McpServer({ name: 'asking', version: '1' }, { requestState: { verify } })
  const register = (name, run) => server.registerTool(name, { inputSchema: z.object({}) }, run)
  // Asks with a form, then with a page. The state has the answer to the form.
  register('book', async (_, { mcpReq: { inputResponses = {}, requestState } }) => {
    const { form, page } = inputResponses
    if (form === undefined && page === undefined) {
      return inputRequired({
        inputRequests: { form: inputRequired.elicit({ message: 'How many seats?', requestedSchema: seats }) },
        requestState: await mint({ step: 'form' }),
      })
    }
    if (form?.action !== 'accept' && page === undefined) return said({ booked: 0, form: form.action })
    if (page === undefined) {
      return inputRequired({
        inputRequests: {
          page: inputRequired.elicitUrl({ message: 'Pay.', url: 'https://pay.example.com/1' }),
        },
        requestState: await mint({ step: 'page', seats: form.content.seats }),
      })
    }
    return said({ booked: requestState().seats, page: page.action })
  })
  // Asks two questions at once, without a state.
  register('trip', (_, { mcpReq: { inputResponses } }) =>
    inputResponses === undefined
      ? inputRequired({
          inputRequests: {
            from: inputRequired.elicit({ message: 'From where?', requestedSchema: city }),
            'to/via': inputRequired.elicit({ message: 'To where?', requestedSchema: city }),
          },
        })
      : said(inputResponses),
  )
  // Repeats an argument in its question.
  server.registerTool(
    'mail',
    { inputSchema: z.object({ to: z.string() }) },
    ({ to }, { mcpReq: { inputResponses } }) =>
      inputResponses === undefined
        ? inputRequired({
            inputRequests: { sure: inputRequired.elicit({ message: `Mail to ${to}?`, requestedSchema: z.object({}) }) },
          })
        : said(inputResponses.sure.action),
  )
  register('roots', (_, { mcpReq: { inputResponses } }) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
      : said(inputResponses.roots.roots),
  )
  // Questions that no caller may show: a page that is a script, and forms without a valid schema.
  const asks = (request) => () => inputRequired({ inputRequests: { question: request } })
  register('script', asks(inputRequired.elicitUrl({ message: 'Open.', url: 'javascript:alert(1)' })))
  const requestedSchema = { type: 'object', properties: { code: { type: 'string', minLength: -1 } } }
  register('length', asks({ method: 'elicitation/create', params: { message: 'Code?', requestedSchema } }))
  register('empty', asks({ method: 'elicitation/create', params: {} }))
  register('again', async () => inputRequired({ requestState: await mint({}) }))
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveStdio(askingServer)
