/**
 * The module of a server of chat completions and of Anthropic's Messages API, whose model says what the other scripted models say; it tells
 * the clients of the examples, through the environment, where it is.
 */
export const modelServer = `import { createServer } from 'node:http'
import { next } from './models.js'

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

function answerTo({ messages, tools = [] }: Body): object {
  const told = messages.filter(({ role }) => role === 'tool').at(-1)
  const text = told && String(told.content).replace(/^The program was not run/, 'Invalid')
  const said = next(JSON.stringify(messages), text)
  if (typeof said === 'string') return { role: 'assistant', content: said }
  const code = \`return await \${said.tool.replace('_', '.')}(\${JSON.stringify(said.sent)})\`
  const isProgram = tools.some((tool) => tool.function.name === 'run_program')
  const { tool: name, sent } = isProgram ? { tool: 'run_program', sent: { code } } : said
  const call = { name, arguments: JSON.stringify(sent) }
  return { role: 'assistant', content: null, tool_calls: [{ id: \`call_\${messages.length}\`, type: 'function', function: call }] }
}

interface Block {
  readonly type: string
  readonly content?: unknown
}

/** Answers a request to the Messages API. */
function messageTo({ messages }: Body): object {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []))
  const result = blocks.filter(({ type }) => type === 'tool_result').at(-1)
  const said = next(JSON.stringify(messages), result && String(result.content))
  const content =
    typeof said === 'string'
      ? [{ type: 'text', text: said }]
      : [{ type: 'tool_use', id: \`call_\${messages.length}\`, name: said.tool, input: said.sent }]
  const usage = { input_tokens: 1, output_tokens: 1 }
  return { id: 'm-1', type: 'message', role: 'assistant', model: 'scripted', content, stop_reason: 'end_turn', usage }
}

const server = createServer((request, response) => {
  let text = ''
  request.on('data', (part) => { text += String(part) })
  request.on('end', () => {
    response.setHeader('content-type', 'application/json')
    if (request.url?.endsWith('/messages')) return response.end(JSON.stringify(messageTo(JSON.parse(text))))
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const choice = { index: 0, message: answerTo(JSON.parse(text)), finish_reason: 'stop' }
    const answer = { id: 'c-1', object: 'chat.completion', created: 1, model: 'scripted', choices: [choice], usage }
    return response.end(JSON.stringify(answer))
  })
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('no port')
process.env['OPENAI_BASE_URL'] = \`http://127.0.0.1:\${address.port}/v1\`
process.env['OPENAI_API_KEY'] = 'none'
process.env['ANTHROPIC_BASE_URL'] = \`http://127.0.0.1:\${address.port}\`
process.env['ANTHROPIC_API_KEY'] = 'none'
`
