import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../packages/codegen/src/cli/commands/call.js'
import { commandContext } from '../../packages/codegen/src/cli/run-command.js'
import { openTerminal } from '../../packages/codegen/src/cli/terminal.js'
import { createProject, type Project, type Ran } from './project.fixture.js'

/** Toolsets as generated code has them. Each result contains what the executor received. */
const toolsets = `import { inputSchema, Runtime, tool, toolset } from '@toolgen/runtime'
import { newToolCall, payloadCodec, resultCodec, toolSpec, toolsetRegistration } from '@toolgen/runtime/codegen/v1'

const city = { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'integer' } } }
export const search = tool({
  name: 'search',
  description: 'Search orders.\\nSecond line.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      limit: { type: 'integer' },
      exact: { type: 'boolean' },
      sort: { enum: ['1', 'date'] },
      ids: { type: 'array', items: { type: 'string' } },
      address: { $ref: '#/$defs/city' },
      any: {},
    },
    required: ['text'],
    additionalProperties: false,
    $defs: { city },
  },
  run: async (payload) => payload,
}).layer(inputSchema('strict'))
export const fail = tool({
  name: 'fail',
  description: 'Fail.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  run: async () => {
    throw new Error('no route to 10.0.0.7')
  },
})

export const malformed = () => declared('broken.list', {}, async () => [], resultCodec({ schema: { type: 'object' } }))

function declared(id, parts, execute, result = resultCodec({ schema: true })) {
  const [name] = id.split('.')
  const { serverOwned = [], confirmation } = parts
  const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const payload = payloadCodec({ schema, serverOwned: serverOwned.map(({ field }) => field) })
  const facts = { id, title: id, description: 'Does ' + id + '.', examples: [], hash: '0', serverOwned, ...(confirmation && { confirmation }) }
  const spec = toolSpec(facts, payload, result)
  const call = (args, options) => newToolCall(spec, payload, args, options)
  const own = { name, namespace: 'default', description: name, tools: [{ spec, payload, result, call }] }
  return toolsetRegistration({ toolset: own, provider: 'service' }, { execute })
}

export const removal = () =>
  declared('removal.remove', { confirmation: { prompt: 'Remove {{id}}?' } }, async (request) => ({ removed: (await request.payload()).id }))
export const scoped = () =>
  declared(
    'scoped.read',
    {
      serverOwned: [
        { field: 'session', from: 'sessionId', schema: { type: 'string' } },
        { field: 'tenant', from: 'labels.tenant', schema: { type: 'string' } },
      ],
    },
    async (request) => request.payload(),
  )
export { Runtime, tool, toolset }
`

let project: Project
beforeAll(() => {
  project = createProject({
    'package.json': '{ "private": true, "type": "module" }\n',
    'toolsets.js': toolsets,
    'toolgen.config.ts': `export default { design: 'design.ts', module: 'src/tools.ts' }\n`,
    'design.ts': '',
    'src/tools.ts': `import { fail, search, toolset } from '../toolsets.js'
export const tools = [toolset('orders', search, fail)]
`,
    'removal.ts': `import { removal } from './toolsets.js'
export default { toolsets: [removal()], close: () => console.log('closed') }
`,
    'approver.ts': `import { removal } from './toolsets.js'
const approve = async ({ arguments: { id } }) => (id === 'a' ? 'approve' : { decision: 'deny', reason: 'Only a.' })
export default { toolsets: [removal()], context: () => ({ env: { approval: { approve } } }) }
`,
    'scoped.ts': `import { scoped } from './toolsets.js'
export default [scoped()]
`,
    'context.ts': `import { scoped } from './toolsets.js'
export default { toolsets: [scoped()], context: ({ tool }) => ({ sessionId: 'of ' + tool, labels: { tenant: 'acme' } }) }
`,
    'bad-context.ts': `import { scoped } from './toolsets.js'
export default {
  toolsets: [scoped()],
  context: () => { throw new Error('no database') },
}
`,
    'malformed.ts': `import { malformed } from './toolsets.js'
export default [malformed()]
`,
    'agents.ts': `import { Runtime, search, tool, toolset } from './toolsets.js'
const runtime = new Runtime()
const of = (name) => runtime.registerAgent({ name, description: name }, [toolset('orders', search)], {})
export default [of('support'), of('sales'), toolset('other', tool({ name: 'search', description: 'Search.', parameters: { type: 'object' }, run: async () => 'other' }))]
`,
    'bad-close.ts': `import { search, toolset } from './toolsets.js'
export default { toolsets: [toolset('orders', search)], close: () => { throw new Error('still busy') } }
`,
  })
})
afterAll(() => project.remove())

const call = (...args: readonly string[]): Ran => project.toolgen('call', ...args)
const untimed = (text: string): string => text.replace(/\(\d+ ms\)/g, '(some time)')

describe('toolgen call without a tool', () => {
  it('lists the tools of the configured module', () => {
    const { code, stdout, stderr } = call()
    expect([code, stderr]).toEqual([0, '2 tools. Call one: toolgen call orders.search text=...\n'])
    expect(stdout).toBe(`orders.search  text limit? exact? sort? ids? address? any?  Search orders.
orders.fail                                                 Fail.
`)
  })

  it('prints the tools as JSON', () => {
    const { tools } = JSON.parse(call('--json').stdout)
    expect(tools).toMatchObject([
      { id: 'orders.search', toolName: 'search', arguments: { required: ['text'] } },
      { id: 'orders.fail', toolName: 'fail' },
    ])
  })

  it('names the two ways to set the module', () => {
    project.write({
      'empty/toolgen.config.ts': `export default { design: 'x.ts' }\n`,
      'empty/x.ts': '',
      'none/x.ts': '',
    })
    for (const cwd of ['empty', 'none']) {
      const { code, stderr } = call('--cwd', cwd)
      expect(code).toBe(2)
      expect(stderr).toContain("Add `module: 'src/tools.ts'` to the configuration")
    }
  })
})

describe('toolgen call TOOL', () => {
  it('prints the result to standard output, and the rest to standard error', () => {
    const { code, stdout, stderr } = call('orders.search', 'text=shoes')
    expect([code, stdout]).toEqual([0, '{\n  "text": "shoes"\n}\n'])
    expect(untimed(stderr)).toBe('completed: orders.search (some time)\n')
  })

  it('reads each value as its field requires', () => {
    const fields = [
      'text=42',
      'limit=3',
      'exact=true',
      'sort=1',
      'ids=["1","b"]',
      'address.city=12',
      'address.zip=12',
      'any=x=y',
    ]
    expect(JSON.parse(call('search', ...fields).stdout)).toEqual({
      ...{ text: '42', limit: 3, exact: true, sort: '1', ids: ['1', 'b'] },
      ...{ address: { city: '12', zip: 12 }, any: 'x=y' },
    })
  })

  it('reads the arguments as JSON, also from standard input', async () => {
    expect(JSON.parse(call('search', '--args', '{"text":"a"}').stdout)).toEqual({ text: 'a' })
    const { code, printed } = await answered('src/tools.ts', 'search', ['{"text":', '"b"}'], { args: '-' })
    expect([code, printed]).toEqual([0, expect.stringContaining('"text": "b"')])
  })

  it('prints what a model reads if the arguments are invalid', () => {
    const { code, stdout, stderr } = call('search', 'limit=many', 'txt=1')
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).toMatch(/^failed \(invalid_arguments\): orders\.search \(\d+ ms\)\nInvalid arguments: /)
    expect(stderr).toContain('limit')
    expect(stderr).toContain('text')
    expect(stderr).not.toContain('Cause')
  })

  it('prints why a result is malformed, which no model reads', () => {
    const { code, stderr } = call('-m', 'malformed.ts', 'broken.list', 'id=1')
    expect(code).toBe(7)
    expect(stderr).toMatch(
      /^failed \(malformed_result\).*\nThe tool returned an invalid result\. .*\nCause, which models do not read:\n.*an array/,
    )
  })

  it('prints the cause of a failure, which no model reads', () => {
    const { code, stderr } = call('fail')
    expect(code).toBe(7)
    expect(stderr).toMatch(
      /^failed \(internal\).*\nThe tool failed because of an internal error\. .*\nCause, which models do not read:\nError: no route to 10\.0\.0\.7\n/,
    )
    const { exitCode, outcome } = JSON.parse(call('fail', '--json').stdout)
    expect([exitCode, outcome.status, outcome.hint.reason]).toEqual([7, 'failed', 'internal'])
    expect(JSON.stringify(outcome)).not.toContain('10.0.0.7')
  })

  it.each([
    [['serch'], 'The module has no tool `serch`.', 'Did you mean `search`?'],
    [['rmeove', '-m', 'removal.ts'], 'The module has no tool `rmeove`.', 'Did you mean `remove`?'],
    [['x'], 'The module has no tool `x`.', 'Run `toolgen call` for a list'],
    [['search', '--agent', 'support'], 'There is no agent `support`.', 'The module has no agents.'],
    [['search', 'text'], '`text` is not an argument of the form FIELD=VALUE.', 'Write `name=value`'],
    [
      ['search', 'text=a', 'text.b=c'],
      '`text.b=c` sets a field of a value that is not an object.',
      'Write the whole value as JSON',
    ],
    [['search', 'text=a', '--args', '{}'], 'FIELD=VALUE and --args cannot be combined.', 'Write all arguments as'],
    [['search', '--args', '{text}'], '--args is not JSON: line 1, column 2', "--args '"],
    [['search', '--label', 'acme'], '--label must be NAME=VALUE, not `acme`.', 'Write `--label tenant=acme`'],
    [['search', '-m', 'src/tool.ts'], 'The module `src/tool.ts` does not exist.', 'Did you mean `src/tools.ts`?'],
  ])('rejects %j', (args, message, next) => {
    const { code, stdout, stderr } = call(...args)
    expect([stdout, stderr.includes(message), stderr.includes(next)]).toEqual(['', true, true])
    expect([2, 3]).toContain(code)
  })
})

describe('toolgen call, with the context of the module', () => {
  it('names the values that a tool needs', () => {
    const missing = call('read', 'id=a', '-m', 'scoped.ts')
    expect(missing.stderr).toContain('`scoped.read` needs `sessionId`')
    expect(missing.stderr).toContain('Add `--session ID`')
    const { stderr } = call('read', 'id=a', '-m', 'scoped.ts', '--session', 's')
    expect(stderr).toContain('Add `--label tenant=VALUE`')
    expect(JSON.parse(call('read', 'id=a', '-m', 'scoped.ts', '--session', 's', '--label', 'tenant=t').stdout)).toEqual(
      {
        ...{ id: 'a', session: 's', tenant: 't' },
      },
    )
  })

  it('uses the values of `context`, unless the command line has others', () => {
    const { stdout } = call('read', 'id=a', '-m', 'context.ts', '--session', 's')
    expect(JSON.parse(stdout)).toEqual({ id: 'a', session: 's', tenant: 'acme' })
    expect(JSON.parse(call('read', 'id=a', '-m', 'context.ts').stdout)).toMatchObject({ session: 'of scoped_read' })
  })

  it('reports an error of `context`, and of `close`', () => {
    const { code, stderr } = call('read', 'id=a', '-m', 'bad-context.ts')
    expect([code, stderr]).toEqual([3, expect.stringContaining('The `context` of the module failed: no database.')])
    const closed = call('search', 'text=a', '-m', 'bad-close.ts')
    expect([closed.code, closed.stderr]).toEqual([
      3,
      expect.stringContaining('The `close` of the module failed: still busy.'),
    ])
  })

  it('selects the tool of an agent', () => {
    expect(call('search', 'text=a', '-m', 'agents.ts').stderr).toContain(
      '`search` is the name of 3 tools: orders.search, other.search.',
    )
    expect(call('orders.search', 'text=a', '-m', 'agents.ts').stderr).toContain(
      '2 agents use `orders.search`: support, sales.',
    )
    expect(call('search', 'text=a', '-m', 'agents.ts', '--agent', 'sales').code).toBe(0)
    expect(call('other.search', '-m', 'agents.ts').stdout).toBe('"other"\n')
  })
})

/** Runs the command on a terminal. The user types these lines and then ends the input. */
async function answered(module: string, tool: string, lines: readonly string[], options: object = {}) {
  let printed = ''
  const write = (text: string): boolean => {
    printed += text
    return true
  }
  const terminal = openTerminal({ stdout: { write }, stderr: { write } }, { colour: false })
  const input = Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true }) as never
  const context = commandContext(
    'call',
    {},
    { terminal, cwd: project.root, output: new PassThrough(), input: () => input },
  )
  const code = await run({ module, tool, fields: [], ...options }, context)
  return { code, printed }
}

describe('toolgen call of a tool that needs an approval', () => {
  it('asks on a terminal, and shows the arguments', async () => {
    const { code, printed } = await answered('removal.ts', 'remove', ['y'], { fields: ['id=a'] })
    expect([code, printed]).toEqual([0, expect.stringContaining('Remove a?\n  {"id":"a"}\nApprove? [y/N] ')])
    expect(printed).toContain('"removed": "a"')
  })

  it.each([[['n']], [['']], [[]]])('does not run it after the answer %j', async (lines) => {
    const { code, printed } = await answered('removal.ts', 'remove', lines, { fields: ['id=a'] })
    expect([code, printed.includes('failed (denied)'), printed.includes('removed')]).toEqual([7, true, false])
  })

  it.each([
    [['maybe', 'Yes'], 0],
    [['maybe', 'no'], 7],
    [['maybe'], 7],
  ])('asks again after an unknown answer: %j', async (lines, expected) => {
    const { code, printed } = await answered('removal.ts', 'remove', lines, { fields: ['id=a'] })
    expect([code, printed]).toEqual([expected, expect.stringContaining('Answer y or n.\nApprove? [y/N] ')])
    expect(printed.match(/Approve\?/g)).toHaveLength(2)
  })

  it('does not run it if nobody can be asked, and runs it with --yes', () => {
    const { code, stderr } = project.process('call', 'remove', 'id=a', '-m', 'removal.ts')
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining(')\nNobody could be asked. Approve the call with --yes.\n'),
    ])
    expect(stderr).toContain('closed\n')
    expect(JSON.parse(project.process('call', 'remove', 'id=a', '-m', 'removal.ts', '-y').stdout)).toEqual({
      removed: 'a',
    })
  })

  it('asks the approver of the module', () => {
    expect(call('remove', 'id=a', '-m', 'approver.ts').code).toBe(0)
    const { code, stderr } = call('remove', 'id=b', '-m', 'approver.ts', '--yes')
    expect([code, stderr]).toEqual([7, expect.stringContaining('Only a.')])
  })
})

describe('errors of a module name the lines of its source', () => {
  const types = 'interface A {\n  a: 1\n}\n\nenum B { b }\n'
  it.each([
    ['thrown at once', `${types}\nthrow new Error(\`no \${B.b}\`)\n`, 7],
    ['thrown by the exported function', `${types}export default (): A => {\n  throw new Error(\`no \${B.b}\`)\n}\n`, 7],
    ['with decorators', `${types}const d = (a: any, b: any) => {}\nthrow new Error('no 0')\n@d\nclass C {}\n`, 7],
  ])('%s', (_, text, line) => {
    project.write({ 'broken.ts': text })
    const { code, stderr } = project.process('call', '-m', 'broken.ts')
    expect(code).toBe(3)
    expect(stderr).toMatch(new RegExp(`^broken\\.ts:${line}:\\d+ - error TG7001: .*: no 0\\n`))
  })

  it('thrown by a tool', () => {
    const text = `${types}export default toolset('shop', tool({ name: 'fail', description: 'Fail.',
  parameters: { type: 'object', properties: {} }, run: async (): Promise<A> => {
    throw new Error(\`no \${B.b}\`)
  } }))\n`
    project.write({ 'failing.ts': `import { tool, toolset } from '@toolgen/runtime'\n${text}` })
    const { code, stderr } = project.process('call', '-m', 'failing.ts', 'shop.fail')
    expect(code).toBe(7)
    expect(stderr).toMatch(/Cause, which models do not read:\nError: no 0\n +at .*\/failing\.ts:9:11\)\n/)
  })
})
