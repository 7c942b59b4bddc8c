// A server of chat completions for the start pages: the model calls one tool, then gives the answer that the page shows.
// It prints its port.
import { createServer } from 'node:http'

const replies = {
  orders_findItems: {
    args: { maxPrice: 20, limit: 10 },
    result: 'Lamp',
    answer: 'You can get a cup for 6.20 euros or a lamp for 19.50 euros.',
  },
  notes_read_note: {
    args: { title: 'shopping' },
    result: 'Bread, milk, coffee.',
    answer: 'You have to buy bread, milk and coffee.',
  },
  pets_findPets: { args: { kind: 'cat' }, result: 'Mia', answer: 'There are two cats: Tom and Mia.' },
}

function messageFor({ messages, tools }) {
  const name = tools.map((tool) => tool.function.name).find((each) => each in replies)
  const { args, result, answer } = replies[name]
  const { role, content } = messages.at(-1)
  if (role === 'tool') return { role: 'assistant', content: content.includes(result) ? answer : content }
  const call = { name, arguments: JSON.stringify(args) }
  return { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] }
}

const server = createServer((request, response) => {
  let text = ''
  request.on('data', (part) => {
    text += part
  })
  request.on('end', () => {
    const choice = { index: 0, message: messageFor(JSON.parse(text)), finish_reason: 'stop' }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const reply = { id: 'c-1', object: 'chat.completion', created: 1, model: 'scripted', choices: [choice], usage }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(reply))
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)))
