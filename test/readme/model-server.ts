/**
 * Module of a server with the APIs of OpenAI (chat completions, Responses), Anthropic and Google. Its model answers like the other scripted
 * models. Environment variables contain its address for the clients of the examples.
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

interface Item {
  readonly type?: string
  readonly output?: string
}

/** Answers a request to the Responses API. */
function responseTo({ input }: { readonly input: readonly Item[] }): object {
  const said = next(JSON.stringify(input), input.filter(({ type }) => type === 'function_call_output').at(-1)?.output)
  const item =
    typeof said === 'string'
      ? { type: 'message', id: 'msg-1', role: 'assistant', content: [{ type: 'output_text', text: said }] }
      : { type: 'function_call', call_id: \`call_\${input.length}\`, name: said.tool, arguments: JSON.stringify(said.sent) }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return { id: 'r-1', object: 'response', model: 'scripted', status: 'completed', output: [item], usage }
}

interface Content {
  readonly parts: readonly { readonly functionResponse?: { readonly response: { readonly output: unknown } } }[]
}

/** Answers a request to the Gemini API. */
function contentTo({ contents }: { readonly contents: readonly Content[] }): object {
  const result = contents.flatMap(({ parts }) => parts).filter((part) => part.functionResponse).at(-1)?.functionResponse
  const said = next(JSON.stringify(contents), result && JSON.stringify(result.response.output))
  const part = typeof said === 'string' ? { text: said } : { functionCall: { name: said.tool, args: said.sent } }
  return { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], modelVersion: 'scripted' }
}

const server = createServer((request, response) => {
  let text = ''
  request.on('data', (part) => { text += String(part) })
  request.on('end', () => {
    response.setHeader('content-type', 'application/json')
    if (request.url?.endsWith('/messages')) return response.end(JSON.stringify(messageTo(JSON.parse(text))))
    if (request.url?.endsWith('/responses')) return response.end(JSON.stringify(responseTo(JSON.parse(text))))
    if (request.url?.includes(':generateContent')) return response.end(JSON.stringify(contentTo(JSON.parse(text))))
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
process.env['GOOGLE_GEMINI_BASE_URL'] = \`http://127.0.0.1:\${address.port}\`
process.env['GEMINI_API_KEY'] = 'none'
`
