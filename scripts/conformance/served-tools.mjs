import { setTimeout } from 'node:timers/promises'
import { Runtime, ToolFailure, tool, toolset } from '../../packages/runtime/dist/index.js'
import { serveMcp } from '../../packages/runtime/dist/mcp.js'
import { choices, defaults, person } from './forms.mjs'

const image = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
}
const audio = {
  type: 'audio',
  data: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=',
  mimeType: 'audio/wav',
}
const resource = {
  type: 'resource',
  resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
}
const text = { type: 'text', text: 'Multiple content types test:' }

const none = { type: 'object', properties: {} }
const prompted = (field) => ({ type: 'object', properties: { [field]: { type: 'string' } }, required: [field] })

/** Creates a tool with a name that the suite calls. `run` returns the result or throws. */
function named(name, run, more = {}) {
  return tool({ name, description: `The tool ${name} of the conformance suite.`, parameters: none, run, ...more })
}

/** Creates a tool that asks the client. A layer makes the request, because only layers receive the env with the client. */
function asking(name, ask, parameters = none) {
  const unasked = () => {
    throw new Error('The layer did not ask the client.')
  }
  return named(name, unasked, { parameters }).layer(() => async (request) => {
    return request.complete(await ask(request.env.client, JSON.parse(await request.json())))
  })
}

/** Asks the user for one field. */
function askFor(client, field) {
  const type = field === 'ok' || field === 'confirm' ? 'boolean' : 'string'
  const requestedSchema = { type: 'object', properties: { [field]: { type } } }
  return client.elicit({ message: `What is the ${field}?`, requestedSchema: { ...requestedSchema, required: [field] } })
}

/** Time after which a call becomes a task, in milliseconds. */
const TASK_MS = 100

/** Waits until the call has become a task, if the client supports tasks. */
const becomeTask = () => setTimeout(3 * TASK_MS)

const askName = async (client) => answered(await askFor(client, 'name'))

async function askModel(client) {
  const content = { type: 'text', text: 'What is the capital of France?' }
  return (await client.sample({ messages: [{ role: 'user', content }], maxTokens: 100 })).content.text
}

const answered = ({ action, content }) => `action=${action}, content=${JSON.stringify(content)}`

const tools = [
  named('test_simple_text', () => 'This is a simple text response for testing.'),
  named('test_image_content', () => ({ content: [image] })),
  named('test_audio_content', () => ({ content: [audio] })),
  named('test_embedded_resource', () => ({ content: [resource] })),
  named('test_multiple_content_types', () => ({ content: [text, image, resource] })),
  named('test_error_handling', () => {
    throw new ToolFailure('This tool intentionally returns an error for testing')
  }),
  named(
    'test_tool_with_progress',
    async (_, { emit }) => {
      for (const progress of [0, 50, 100]) await emit({ progress, total: 100 })
      return 'done'
    },
    { updates: { type: 'object', properties: { progress: { type: 'number' }, total: { type: 'number' } } } },
  ),
  asking('test_tool_with_logging', async (client) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      client.log('info', said)
    }
    return 'done'
  }),
  asking(
    'test_sampling',
    async (client, { prompt }) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }]
      const { content } = await client.sample({ messages, maxTokens: 100 })
      return `LLM response: ${content.text}`
    },
    prompted('prompt'),
  ),
  asking(
    'test_elicitation',
    async (client, { message }) =>
      `User response: ${answered(await client.elicit({ message, requestedSchema: person }))}`,
    prompted('message'),
  ),
  asking('test_elicitation_sep1034_defaults', async (client) => {
    const asked = await client.elicit({ message: 'Please say who you are.', requestedSchema: defaults })
    return `Elicitation completed: ${answered(asked)}`
  }),
  asking('test_elicitation_sep1330_enums', async (client) => {
    const asked = await client.elicit({ message: 'Please choose.', requestedSchema: choices })
    return `Elicitation completed: ${answered(asked)}`
  }),
  asking('test_streaming_elicitation', askName),
  asking('test_logging_tool', async (client) => {
    client.log('info', 'Tool called')
    return 'done'
  }),
  asking(
    'test_input_required_result_elicitation',
    async (client) => `Hello, ${(await askFor(client, 'name')).content.name}!`,
  ),
  asking('test_input_required_result_sampling', askModel),
  asking(
    'test_input_required_result_request_state',
    async (client) => `state-ok: ${answered(await askFor(client, 'ok'))}`,
  ),
  asking('test_input_required_result_multi_round', async (client) => {
    const { name } = (await askFor(client, 'name')).content
    const { color } = (await askFor(client, 'color')).content
    return `${name} likes ${color}`
  }),
  asking('test_input_required_result_tampered_state', askName),
  asking('test_input_required_result_capabilities', (client) =>
    client.capabilities.elicitation === undefined ? askModel(client) : askName(client),
  ),
  named('greet', ({ name }) => `Hello, ${name}!`, { parameters: prompted('name') }),
  named(
    'slow_compute',
    async ({ seconds }, { meta: { signal } }) => {
      await setTimeout(seconds * 1000, undefined, { signal })
      return 'computed'
    },
    { parameters: { type: 'object', properties: { seconds: { type: 'number' } } } },
  ),
  named('failing_job', async () => {
    await becomeTask()
    throw new ToolFailure('This job fails.')
  }),
  named('protocol_error_job', async () => {
    await becomeTask()
    throw new Error('This error is not for models.')
  }),
  asking('confirm_delete', async (client) => {
    await becomeTask()
    return answered(await askFor(client, 'confirm'))
  }),
  asking('multi_input', async (client) => {
    await becomeTask()
    return (await Promise.all([askFor(client, 'name'), askFor(client, 'name')])).map(answered).join()
  }),
  asking('test_tool_with_task', async (client) => {
    const { content } = await askFor(client, 'name')
    await becomeTask()
    return `Hello, ${content.name}!`
  }),
  named('json_schema_2020_12_tool', (args) => args, {
    parameters: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  }),
]

/** Serves the tools that the scenarios call. */
export function serveTools() {
  return serveMcp(new Runtime(), {
    toolsets: [toolset('conformance', ...tools)],
    context: ({ client }) => ({ env: { client } }),
    transport: { port: 0 },
    tasks: { afterMs: TASK_MS },
  })
}
