import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileName } from '../ir/hostile-names.fixture.js'
import { importMcp } from './mcp.js'
import { toolsetOf } from './read-import.fixture.js'
import type { ToolsetImport } from './toolset-module.js'

const name = hostileName.filter((text) => text.trim() !== '')
const none = { type: 'object', properties: {} }

/** Imports tools. A tool without an arguments schema gets a default one. */
function imported(...tools: readonly object[]): ToolsetImport {
  return importMcp('files', {
    captured: { tools: tools.map((tool) => ({ inputSchema: none, ...tool })) },
    source: 'tools.json',
  })
}

function codesOf({ diagnostics }: ToolsetImport): readonly string[] {
  return diagnostics.map(({ code, severity }) => `${severity} ${code}`)
}

describe('what an import writes', () => {
  it('is a snapshot of all that the server said, a module with the names, and a module of the user', () => {
    const tool = { name: 'read', description: 'Read.', inputSchema: none, _meta: { ui: 'x' } }
    const { files } = importMcp('my-files', { captured: { tools: [tool] }, source: 'tools.json' })
    expect(files.map(({ path, isOwn = false }) => [path, isOwn])).toEqual([
      ['my-files.mcp.json', false],
      ['my-files.mcp.snapshot.ts', false],
      ['my-files.mcp.ts', true],
    ])
    expect(JSON.parse(files[0]?.text ?? '')).toEqual({
      about: expect.stringContaining('`toolgen import'),
      hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      description: 'Tools of an MCP server.',
      tools: { read: { toolName: 'my-files_read', result: true, source: tool } },
    })
    expect(files[1]?.text).toMatch(/^\/\/ Written by `toolgen import mcp my-files`, [0-9a-f]{16}\. Do not edit; /)
    expect(files[1]?.text).toContain('\nexport const myFilesSnapshot: Snapshot<{\n  read: never\n}> = {')
    expect(files[2]?.text).toContain('\nexport const myFiles = importedToolset(myFilesSnapshot)\n')
  })

  it('has the failures that a server of toolgen declares, except those that a design cannot have', () => {
    const schema = { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] }
    const shipped = { hint: 'Order {{orderId}} has left.', action: 'replan', schema }
    const locked = { hint: 'Locked.', action: 'finish', description: 'Somebody changes the order.' }
    const tool = (name: string, failures: unknown) => ({
      ...{ name, description: 'Changes orders.', _meta: { 'toolgen/failures': failures } },
    })
    const written = imported(
      tool('cancel', { order_shipped: shipped, locked }),
      tool('change', { order_shipped: { ...shipped, hint: 'Too late.' }, locked }),
      tool('odd', {
        timeout: locked,
        Locked: locked,
        not_found: { action: 'replan' },
        bad: { ...locked, action: 'wait' },
      }),
      tool('other', 'none'),
    )
    const { tools } = JSON.parse(written.files[0]?.text ?? '')
    expect(Object.values<any>(tools).map(({ failures }) => failures)).toEqual([
      { order_shipped: shipped, locked },
      { locked },
      undefined,
      undefined,
    ])
  })

  it('has the failures of the server, except those that the design drops or defines in another way', () => {
    const locked = { hint: 'Locked.', action: 'finish' }
    const shipped = { hint: 'Shipped.', action: 'replan' }
    const written = imported({
      ...{ name: 'cancel', description: 'Changes orders.' },
      _meta: { 'toolgen/failures': { locked, shipped, gone: locked } },
    })
    const failures = { locked: false, shipped: { hint: 'Too late.' }, refused: { hint: 'Refused.' } }
    const { cancel } = toolsetOf(written, { tools: { cancel: { failures } } }).tools
    expect(cancel.failures).toEqual({ shipped: { hint: 'Too late.' }, gone: locked, refused: { hint: 'Refused.' } })
    expect(cancel).not.toHaveProperty('droppedFailures')
    const other = toolsetOf(written, { tools: { cancel: { failures: { lockd: false } } } }).tools.cancel
    expect(other).toMatchObject({ failures: { locked, shipped, gone: locked }, droppedFailures: ['lockd'] })
  })

  it('says in the snapshot of a tool only what differs from what the server said', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'integer', default: 'x' } } }
    const tools = [
      { name: 'a', title: ' ', description: 'A.', inputSchema, outputSchema: none },
      { name: 'b', annotations: { title: 'B', readOnlyHint: true }, inputSchema: none, outputSchema: [] },
      { name: 'c', inputSchema: { type: 'string' } },
    ]
    const [, b, c] = tools
    expect(JSON.parse(imported(...tools).files[0]?.text ?? '').tools).toEqual({
      a: {
        toolName: 'files_a',
        payload: { type: 'object', properties: { a: { type: 'integer' } } },
        source: { name: 'a', description: 'A.', inputSchema, outputSchema: none },
      },
      b: { toolName: 'files_b', title: 'B', description: 'B', result: true, readOnly: true, source: b },
      c: { unused: true, source: c },
    })
  })

  it('has each tool under a name of the design, with the name that the server has for it', () => {
    const toolset = toolsetOf(
      imported({ name: 'read_file', description: 'Read.' }, { name: 'tree', description: 'T.' }),
    )
    expect(Object.keys(toolset.tools)).toEqual(['readFile', 'tree'])
    expect(toolset.mcp).toMatchObject({ names: { readFile: 'read_file', tree: 'tree' }, unused: [] })
    expect(toolset.tools.readFile).toEqual({
      description: 'Read.',
      toolName: 'files_read_file',
      payload: none,
      result: true,
      reads: ['private'],
      suggested: ['reads'],
    })
  })

  it('suggests that secrets are sensitive, which options of the toolset replace', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        login: { $ref: '#/$defs/Login' },
        pins: { type: 'array', items: { type: 'string', writeOnly: true } },
        mode: { type: 'string', enum: ['a'], writeOnly: true },
        notify: { type: 'boolean', writeOnly: true },
      },
      // The checks of designs do not find fields of `else`.
      else: { properties: { hidden: { type: 'string', format: 'password' } } },
      $defs: { Login: { type: 'object', properties: { password: { type: 'string', format: 'password' } } } },
    }
    const outputSchema = { type: 'object', properties: { key: { type: 'string', format: 'password' } } }
    const written = imported({ name: 'login', description: 'Logs in.', inputSchema, outputSchema })
    const hidden = { events: 'omit', telemetry: 'omit', recording: 'omit' }
    expect(toolsetOf(written).tools.login.sensitive).toEqual({
      payload: { '/login/password': hidden, '/pins/*': hidden },
      result: { '/key': hidden },
    })
    expect(toolsetOf(written).tools.login).not.toHaveProperty('suggested')
    const replaced = toolsetOf(written, { tools: { login: { sensitive: { result: { '/key': ['model'] } } } } })
    expect(replaced.tools.login.sensitive).toEqual({ result: { '/key': ['model'] } })
  })

  it('takes titles and hints, those of the annotations too, and schemas word for word', () => {
    const output = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', definitions: { a: none } }
    const annotations = { title: 'Other', readOnlyHint: true, destructiveHint: false, openWorldHint: true }
    const { tools } = toolsetOf(
      imported(
        { name: 'a', description: 'A.', title: 'Title', outputSchema: output, annotations },
        { name: 'b', description: 'B.', annotations: { title: 'Other', idempotentHint: true } },
      ),
    )
    expect(tools.a).toMatchObject({ title: 'Title', result: output, readOnly: true, destructive: false })
    expect(tools.b).toMatchObject({ title: 'Other', idempotent: true })
  })

  it('has options for tools, without effect on what is compared with the server', () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' }, user: { type: 'string' } } }
    const made = imported(
      { name: 'read_file', description: 'Read.', inputSchema },
      { name: 'tree', description: 'T.' },
      { name: 'bad', inputSchema: { type: 'string' } },
    )
    const fields = { path: { description: 'A path.' } }
    const changed = { description: 'Mine.', toolName: 'read', serverOwned: { user: 'sessionId' }, reads: [] }
    const { tools, mcp } = toolsetOf(made, { omit: ['tree'], tools: { readFile: { ...changed, fields } } })
    const path = { type: 'string', description: 'A path.' }
    const payload = { ...inputSchema, properties: { ...inputSchema.properties, path } }
    expect(tools).toEqual({ readFile: { ...changed, payload, result: true } })
    expect(mcp).toEqual({
      names: { readFile: 'read_file' },
      hashes: { readFile: expect.stringMatching(/^[0-9a-f]{16}$/) },
      unused: ['tree', 'bad'],
      captured: { readFile: expect.objectContaining({ description: 'Read.', payload: inputSchema }) },
    })
  })

  it.each<[string, (tools: readonly object[]) => unknown, unknown]>([
    ['the answer alone', (tools) => ({ tools }), undefined],
    ['a message of the protocol', (tools) => ({ jsonrpc: '2.0', id: 1, result: { tools } }), undefined],
    [
      'a capture with the answer to initialize',
      (tools) => ({ server: 'npm-name', initialize: { serverInfo: { name: 'disk', version: '1' } }, tools }),
      { name: 'disk', version: '1' },
    ],
    [
      'a snapshot',
      (tools) => ({ about: '', server: { name: 'disk', version: '1' }, tools }),
      { name: 'disk', version: '1' },
    ],
  ])('comes from %s', (_, form, server) => {
    const made = importMcp('files', {
      captured: form([{ name: 'a', description: 'A.', inputSchema: none }]),
      source: 'x',
    })
    expect(made.diagnostics).toEqual([])
    expect(toolsetOf(made).mcp.server).toEqual(server)
  })

  it('lets the tools stream whose progress is wanted', () => {
    const captured = { tools: ['index', 'find'].map((tool) => ({ name: tool, description: tool, inputSchema: none })) }
    const made = importMcp('files', { captured, source: 'x', progress: ['index'] })
    const { index, find } = toolsetOf(made).tools
    expect(index.streaming.updates.required).toEqual(['progress'])
    expect(find).not.toHaveProperty('streaming')
    const wrong = importMcp('files', { captured, source: 'x', progress: ['indx'] }).diagnostics
    expect(wrong).toMatchObject([{ code: 'TG0001', severity: 'error', near: ['index'] }])
  })

  it('says in the snapshot where the server is and whose progress is wanted, and so does an import of the snapshot', () => {
    const captured = { tools: [{ name: 'index', description: 'Index.', inputSchema: none }] }
    const origin = { command: ['npx', 'server', '--token', '${TOKEN}'] }
    const first = importMcp('files', { captured, source: 'x', origin, progress: ['index'] })
    const snapshot: unknown = JSON.parse(first.files[0]?.text ?? '')
    expect(first.diagnostics).toEqual([])
    expect(snapshot).toMatchObject({ origin, progress: ['index'] })
    expect(importMcp('files', { captured: snapshot, source: 'files.mcp.json' }).files).toEqual(first.files)
    const still = importMcp('files', { captured: snapshot, source: 'files.mcp.json', progress: [] })
    expect(toolsetOf(still).tools.index).not.toHaveProperty('streaming')
  })

  it('has no secret of how the server was started', () => {
    const captured = { tools: [{ name: 'a', description: 'A.', inputSchema: none }] }
    const made = importMcp('files', { captured, source: 'x', origin: { command: ['server', '--api-key', 's3cret'] } })
    expect(made.diagnostics).toMatchObject([
      {
        code: 'TG6007',
        severity: 'warning',
        message: expect.stringContaining(
          'The snapshot does not record the server of `files`: `api-key` looks like a secret.',
        ),
      },
    ])
    expect(JSON.stringify(made)).not.toContain('s3cret')
    expect(made.files[0]?.text).not.toContain('origin')
  })

  it('is the same again, from the same capture and from its snapshot', () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    const tool = fc.record({ name, title: fc.string(), description: fc.string(), extra: json })
    fc.assert(
      fc.property(fc.array(tool, { minLength: 1, maxLength: 5 }), (tools) => {
        const first = imported(...tools)
        expect(imported(...tools).files).toEqual(first.files)
        const snapshot: unknown = JSON.parse(first.files[0]?.text ?? '')
        expect(importMcp('files', { captured: snapshot, source: 'files.mcp.json' }).files).toEqual(first.files)
      }),
      { numRuns: 50 },
    )
  })

  it('says what the server says, whatever the names and texts are', () => {
    const schema = fc.dictionary(hostileName, fc.constant({ type: 'string' }), { maxKeys: 3 })
    const tool = fc.record({ name, description: fc.string({ unit: 'binary' }), properties: schema })
    fc.assert(
      fc.property(fc.uniqueArray(tool, { minLength: 1, maxLength: 4, selector: ({ name }) => name }), (tools) => {
        const made = imported(
          ...tools.map(({ properties, ...rest }) => ({ ...rest, inputSchema: { type: 'object', properties } })),
        )
        const toolset = toolsetOf(made)
        const entries = Object.entries<{ description: string; payload: unknown; toolName: string }>(toolset.tools)
        const names = new Map(Object.entries(toolset.mcp.names ?? {}))
        expect(entries.map(([key]) => names.get(key) ?? key)).toEqual(tools.map(({ name }) => name))
        expect(entries.map(([, { payload }]) => payload)).toEqual(
          tools.map(({ properties }) => ({ type: 'object', properties })),
        )
        expect(entries.every(([, { toolName }]) => /^[\w-]{1,64}$/.test(toolName))).toBe(true)
        expect(new Set(entries.map(([, { toolName }]) => toolName.toLowerCase())).size).toBe(entries.length)
      }),
      { numRuns: 100 },
    )
  })
})

describe('messages of an import', () => {
  it('is which tools models see under other names', () => {
    const made = imported({ name: 'math.sum', description: 'x' }, { name: 'math_sum', description: 'x' })
    expect(codesOf(made)).toEqual(['note TG6006', 'note TG6006'])
    expect(Object.keys(toolsetOf(made).tools)).toEqual(['mathSum', 'mathSum_b2b6f7'])
  })

  it('is why they do', () => {
    const long = 'x'.repeat(60)
    const made = imported(...['math.sum', 'math_sum', long].map((tool) => ({ name: tool, description: 'x' })))
    expect(made.diagnostics.map(({ message }) => message)).toEqual([
      'The name of `math.sum` for models is `files_math_sum`: its name contains characters that are not valid for models.',
      expect.stringMatching(
        /^The name of `math_sum` for models is `files_math_sum_\w{6}`: another tool already has this name/,
      ),
      expect.stringContaining(`: \`files_${long}\` is longer than 64 characters.`),
    ])
  })

  it('is which defaults are left out, since they do not fit their own schema', () => {
    const properties = {
      lang: { type: 'string', default: null },
      count: { type: 'integer', default: 10 },
    }
    const made = imported({ name: 'search', description: 'S.', inputSchema: { type: 'object', properties } })
    expect(codesOf(made)).toEqual(['warning TG6013'])
    expect(made.diagnostics[0]?.message).toContain('/properties/lang')
    expect(toolsetOf(made).tools.search.payload).toEqual({
      type: 'object',
      properties: { lang: { type: 'string' }, count: { type: 'integer', default: 10 } },
    })
  })

  it('is which tools are left without defaults, where one does not fit for another reason', () => {
    const properties = { size: { type: 'integer', minimum: 5, default: 1 }, page: { type: 'integer', default: 1 } }
    const made = imported({ name: 'search', description: 'S.', inputSchema: { type: 'object', properties } })
    expect(codesOf(made)).toEqual(['warning TG6013'])
    expect(toolsetOf(made).tools.search.payload.properties).toEqual({
      size: { type: 'integer', minimum: 5 },
      page: { type: 'integer' },
    })
  })

  it('warns of a tool that its server runs as a task alone', () => {
    const made = imported(
      { name: 'research', description: 'R.', execution: { taskSupport: 'required' } },
      { name: 'echo', description: 'E.', execution: { taskSupport: 'optional' } },
    )
    expect(codesOf(made)).toEqual(['warning TG6012'])
    expect(made.diagnostics[0]?.message).toContain('`research`')
    expect(made.diagnostics[0]?.next).toContain("`importedToolset(snapshot, { omit: ['research'] })`")
    expect(made.tools).toBe(2)
  })

  it('is which tools are listed twice, and have no description', () => {
    const made = imported(
      { name: 'a', description: ' ', title: 'Title' },
      { name: 'a', description: 'x' },
      { name: 'b' },
    )
    expect(codesOf(made)).toEqual(['warning TG6002', 'warning TG6005', 'warning TG6005'])
    expect(made.tools).toBe(2)
    expect(toolsetOf(made).tools).toMatchObject({ a: { description: 'Title' }, b: { description: 'b' } })
  })

  it('is which schemas cannot be used: the tool is left out, its result may be anything', () => {
    const made = imported(
      { name: 'a', description: 'x', inputSchema: { type: 'string' } },
      { name: 'b', description: 'x', inputSchema: { type: 'object', properties: { x: { $ref: '#/nowhere' } } } },
      { name: 'c', description: 'x', outputSchema: { $ref: 'https://example.com/schema' } },
      { name: 'd', description: 'x', inputSchema: {} },
    )
    expect(codesOf(made)).toEqual(['warning TG6003', 'warning TG6003', 'warning TG6004'])
    const { tools, mcp } = toolsetOf(made)
    expect(mcp.unused).toEqual(['a', 'b'])
    expect(tools).toMatchObject({ c: { result: true }, d: { payload: { type: 'object' } } })
  })

  it.each<[unknown]>([[null], [[]], [{ tools: {} }]])('is an error for %j, and nothing is written', (capture) => {
    const made = importMcp('files', { captured: capture, source: '`tools.json`' })
    expect(codesOf(made)).toEqual(['error TG6001'])
    expect(made.diagnostics[0]?.message).toContain('`tools.json` is not a response to `tools/list`')
    expect(made.files).toEqual([])
  })

  it.each<[string, readonly unknown[], readonly string[]]>([
    ['no tool', [], []],
    ['nothing with a name', [{ inputSchema: none }, 'a'], ['warning TG6014', 'warning TG6014']],
    ['no usable arguments', [{ name: 'a', inputSchema: { type: 'string' } }], ['warning TG6003']],
  ])('defect 13f: is an error for a list with %s, and nothing is written', (_, tools, warnings) => {
    const made = importMcp('files', { captured: { tools }, source: '`tools.json`' })
    expect(codesOf(made)).toEqual([...warnings, 'error TG6001'])
    expect(made.diagnostics.at(-1)?.message).toContain('`tools.json` lists no tool that can be imported')
    expect(made.files).toEqual([])
  })

  it('defect 7: is each pattern that is left out of a tool', () => {
    const field = (pattern: string) => ({ type: 'string', pattern })
    const inputSchema = {
      type: 'object',
      properties: { a: field('^(a|b)\\1$'), b: field('(?<n>b)\\k<n>'), c: field('^(c|d)\\1$'), d: field('^d$') },
    }
    const outputSchema = { type: 'object', properties: { e: field('^(e|f)\\1$') } }
    const made = imported({ name: 'a', description: 'x', inputSchema, outputSchema })
    expect(made.diagnostics.map(({ code, message }) => [code, /at (\S+) has/.exec(message)?.[1]])).toEqual([
      ['TG6208', '/properties/a'],
      ['TG6208', '/properties/b'],
      ['TG6208', '/properties/c'],
      ['TG6208', '/properties/e'],
    ])
    expect(toolsetOf(made).tools.a.payload.properties).toMatchObject({ d: { pattern: '^d$' } })
  })

  it('defect 7: is which patterns are left out, since nothing matches them in linear time', () => {
    const inputSchema = (pattern: string) => ({
      type: 'object',
      properties: { tag: { type: 'string', pattern, maxLength: 9 } },
    })
    const made = imported(
      { name: 'a', description: 'x', inputSchema: inputSchema('^(a|b)\\1$') },
      { name: 'b', description: 'x', inputSchema: inputSchema('^(a+)+$') },
    )
    expect(made.diagnostics).toMatchObject([
      {
        code: 'TG6208',
        severity: 'warning',
        message:
          'A pattern of `a` is dropped: The pattern `^(a|b)\\1$` at /properties/tag has a back reference, so it cannot be matched in linear time.',
      },
    ])
    expect(toolsetOf(made).tools).toMatchObject({
      a: { payload: { properties: { tag: { type: 'string', maxLength: 9 } } } },
      b: { payload: inputSchema('^(a+)+$') },
    })
    expect(toolsetOf(made).tools.a.payload.properties.tag).not.toHaveProperty('pattern')
  })
})
