import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileName } from '../ir/hostile-names.fixture.js'
import { recordedSource } from './function-documents.js'
import { importFunctions } from './functions.js'
import { toolsetOf } from './read-import.fixture.js'
import type { ToolsetImport } from './toolset-module.js'

const none = { type: 'object', properties: {} }
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

function importedText(text: string, earlier?: string): ToolsetImport {
  const source = { text, file: 'tools.json', shown: '`tools.json`' }
  return importFunctions('weather', source, earlier === undefined ? {} : { earlier })
}

function imported(...functions: readonly unknown[]): ToolsetImport {
  return importedText(JSON.stringify(functions, null, 1))
}

/** Returns the diagnostics, each with the line of the source that it concerns. */
function told({ diagnostics }: ToolsetImport): readonly string[] {
  return diagnostics.map(({ code, severity, location }) => `${severity} ${code} line ${location?.line}`)
}

function snapshotOf({ files }: ToolsetImport): string {
  return files.find(({ path }) => path.endsWith('.json'))?.text ?? ''
}

describe('what an import of functions writes', () => {
  it('is a snapshot of the descriptions, a module with the names, and a module of the user', () => {
    const made = imported({ name: 'get_weather', description: 'Weather.', parameters: city, strict: true })
    expect(made.files.map(({ path }) => path)).toEqual([
      'weather.functions.json',
      'weather.functions.snapshot.ts',
      'weather.functions.ts',
    ])
    expect(JSON.parse(snapshotOf(made))).toEqual({
      about: expect.stringContaining('`toolgen import functions weather`'),
      hash: expect.any(String),
      description: 'Functions of weather.',
      tools: {
        getWeather: {
          toolName: 'get_weather',
          result: true,
          source: { name: 'get_weather', description: 'Weather.', parameters: city },
        },
      },
    })
    expect(made.files[1]?.text).toMatch(
      /^\/\/ Written by `toolgen import functions weather`, [0-9a-f]{16}\. Do not edit; /,
    )
    expect(toolsetOf(made)).toEqual({
      name: 'weather',
      namespace: 'default',
      description: 'Functions of weather.',
      tools: { getWeather: { description: 'Weather.', toolName: 'get_weather', payload: city, result: true } },
    })
    expect(made.diagnostics).toEqual([])
  })

  it('says of a function without a description that the source has none', () => {
    const [found] = imported({ name: 'no_args', parameters: none }).diagnostics
    expect(found?.message).toBe('The source has no description of `no_args`. Its title or name is used instead.')
    expect(found?.next).toMatch(/^Set its `description` in the options of `importedToolset`: models choose/)
  })

  it('takes schemas of results, titles and examples where a form has them', () => {
    const response = { type: 'OBJECT', properties: { degrees: { type: 'NUMBER' } } }
    const examples = [{ city: 'Turin' }, { town: 'Milan' }]
    const made = imported({
      name: 'a',
      title: 'A',
      description: 'x',
      parameters: city,
      response,
      input_examples: examples,
    })
    expect(toolsetOf(made).tools.a).toEqual({
      description: 'x',
      title: 'A',
      toolName: 'a',
      payload: city,
      result: { type: 'object', properties: { degrees: { type: 'number' } } },
      examples: [{ city: 'Turin' }],
    })
    expect(made.diagnostics.map(({ code }) => code).sort()).toEqual(['TG3030', 'TG3030', 'TG6023'])
    expect(made.described).toBe(1)
  })

  it('has functions that say nothing of their arguments take none', () => {
    const made = imported({ name: 'now', description: 'x' }, { name: 'later', description: 'x', parameters: null })
    expect(toolsetOf(made).tools).toMatchObject({ now: { payload: none }, later: { payload: none } })
  })

  it('comes from one function, from wrappers in each other, and from requests on each line', () => {
    const described = { name: 'a', description: 'x', parameters: city }
    const expected = imported(described).files
    expect(importedText(JSON.stringify(described)).files).toEqual(expected)
    expect(importedText(JSON.stringify({ tools: [{ function: [described] }] })).files).toEqual(expected)
    const lines = ['{"id": 1, "question": [], "function": []}', '', JSON.stringify({ function: [described] }), '']
    expect(importedText(lines.join('\r\n')).files).toEqual(expected)
  })

  it('is the same from its own snapshot, whatever the names and texts are', () => {
    const texts = fc.string({ unit: 'binary' })
    const schema = fc.oneof(
      fc
        .dictionary(hostileName, fc.constantFrom({ type: 'string' }, { type: 'dict' }, { type: 'float', default: 'x' }))
        .map((properties) => ({ type: 'object', properties })),
      fc.jsonValue(),
    )
    const described = fc.record(
      { name: hostileName, description: texts, parameters: schema },
      { requiredKeys: ['name'] },
    )
    fc.assert(
      fc.property(fc.array(described, { maxLength: 5 }), (functions) => {
        const made = imported(...functions)
        const isRefused = made.diagnostics.some(({ severity }) => severity === 'error')
        expect(isRefused).toBe(made.files.length === 0)
        if (isRefused) return
        expect(importedText(snapshotOf(made)).files).toEqual(made.files)
        const tools: readonly { toolName: string; description: string }[] = Object.values(toolsetOf(made).tools)
        expect(tools.length).toBe(made.tools)
        expect(tools.every(({ toolName }) => /^[\w-]{1,64}$/.test(toolName))).toBe(true)
        expect(tools.every(({ description }) => description.trim() !== '')).toBe(true)
        expect(new Set(tools.map(({ toolName }) => toolName.toLowerCase())).size).toBe(tools.length)
        // A valid name does not change unless another function has it.
        const legal = functions.filter(({ name }) => /^[\w-]{1,64}$/.test(name))
        const first = legal.filter(({ name }) =>
          functions.every((other) => other.name === name || !clashes(other.name, name)),
        )
        const left = made.diagnostics.some(({ code }) => code === 'TG6003')
        if (!left)
          expect(tools.map(({ toolName }) => toolName)).toEqual(expect.arrayContaining(first.map(({ name }) => name)))
      }),
      { numRuns: 300 },
    )
  })

  it('names the file for a later import, also when it comes from the snapshot itself', () => {
    const source = { text: JSON.stringify({ name: 'a', description: 'x' }), file: 'tools.json', shown: '`tools.json`' }
    const made = importFunctions('weather', source, { from: '../tools.json' })
    expect(recordedSource(snapshotOf(made))).toBe('../tools.json')
    expect(importedText(snapshotOf(made)).files).toEqual(made.files)
    expect(recordedSource('{ "from": "x" }')).toBeUndefined()
  })
})

/** Checks whether two names become equal when they are made valid. */
function clashes(one: string, other: string): boolean {
  const legal = (name: string): string =>
    name
      .replace(/[^\w-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .toLowerCase()
  return legal(one) === legal(other) || one.toLowerCase() === other.toLowerCase()
}

describe('messages of an import of functions', () => {
  it('is each repair at its place in the source', () => {
    const made = imported({
      name: 'a',
      description: 'x',
      parameters: { type: 'dict', properties: { n: { type: 'float', default: 'none' } } },
    })
    expect(told(made)).toEqual(['note TG3030 line 6', 'note TG3030 line 9', 'warning TG3031 line 10'])
    expect(made.diagnostics[2]?.message).toBe(
      '`a`, arguments: The default `"none"` was dropped: it does not match the type `"number"`, at /properties/n.',
    )
    expect(toolsetOf(made).tools.a.payload).toEqual({ type: 'object', properties: { n: { type: 'number' } } })
  })

  it('name keywords without effect, which are removed; the property order of Gemini has an effect', () => {
    const field = { anyOf: [{ type: 'string', minLenght: 1 }], nullable: true }
    const properties = { a: field, minLenght: { type: 'string' } }
    const made = imported({
      name: 'a',
      description: 'x',
      parameters: { type: 'object', properties, propertyOrdering: ['a'] },
    })
    expect(told(made)).toEqual(['note TG3035 line 15', 'warning TG3015 line 12'])
    expect(toolsetOf(made).tools.a.payload).toEqual({
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] }, minLenght: { type: 'string' } },
    })
  })

  it('is the line of JSON lines on which a function stands', () => {
    const lines = [{ name: 'a', description: 'x' }, { name: 'b' }, { name: 'c', parameters: { type: 'dict' } }]
    expect(told(importedText(`\n${lines.map((line) => JSON.stringify(line)).join('\n')}`))).toEqual([
      'warning TG6005 line 3',
      'note TG3030 line 4',
      'warning TG6005 line 4',
    ])
  })

  it('is which functions have other names, and which have the same', () => {
    const made = imported(
      { name: 'math.sum', description: 'x' },
      { name: 'math_sum', description: 'x' },
      { name: 'math_sum', description: 'y' },
      { name: 'math_sum', description: 'x' },
    )
    expect(told(made)).toEqual([
      'note TG6002 line 15',
      'note TG6006 line 3',
      'note TG6006 line 7',
      'warning TG6022 line 11',
    ])
    expect(Object.keys(toolsetOf(made).tools)).toEqual(['mathSum', 'mathSum_b2b6f7', 'mathSum_2'])
  })

  it('is what is left out: tools of other kinds, and functions that nobody could call', () => {
    const made = imported(
      { type: 'web_search_preview' },
      { type: 'custom', name: 'code', format: { type: 'text' } },
      { googleSearch: {} },
      { type: 'custom', name: 'anthropic', description: 'x', input_schema: city },
      { name: 'text', description: 'x', parameters: { type: 'string' } },
      { name: 'broken', description: 'x', parameters: { type: 'object', properties: { x: { $ref: '#/nowhere' } } } },
      { name: 'unclear', description: 'x', parameters: { type: 'object', properties: { x: { type: 'List[Date]' } } } },
      { name: 'never', description: 'x', parameters: { type: 'object', properties: { x: false }, required: ['x'] } },
      { name: 'vague', description: 'x', parameters: none, response: { $ref: 'https://example.com/x' } },
    )
    expect(made.diagnostics.map(({ code }) => code)).toEqual([
      ...['TG6021', 'TG6021', 'TG6021'],
      ...['TG6003', 'TG6003', 'TG6003', 'TG6003', 'TG6004'],
    ])
    expect(Object.keys(toolsetOf(made).tools)).toEqual(['anthropic', 'vague'])
  })

  it('is not each part of a source that is something else altogether', () => {
    // A single line, so that each part is far from the end of its line.
    const { diagnostics } = importedText(JSON.stringify(Array(50_000).fill(1)))
    expect(diagnostics).toHaveLength(22)
    expect(diagnostics.at(-2)).toMatchObject({
      code: 'TG6014',
      severity: 'warning',
      message: '49980 more entries of the source are not imported for the same reason.',
    })
    expect(diagnostics.at(-1)).toMatchObject({ code: 'TG6020', severity: 'error' })
    expect(importedText('{}\n'.repeat(1_000)).diagnostics.map(({ code }) => code)).toEqual([
      ...Array(21).fill('TG6021'),
      'TG6020',
    ])
  })

  it('is that a source has more lines than anybody would write', () => {
    const [found, ...others] = importedText('{}\n'.repeat(200_001)).diagnostics
    expect(found).toMatchObject({ code: 'TG0009', location: { line: 200_001 } })
    expect(others).toEqual([])
  })

  it('is that a default is left out that does not match a pattern with nested repetitions', () => {
    const text = { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}b` }
    const made = imported({ name: 'a', description: 'A.', parameters: { type: 'object', properties: { text } } })
    expect(made.diagnostics).toMatchObject([
      { code: 'TG6013', message: expect.stringContaining('does not match the pattern') },
    ])
    expect(toolsetOf(made).tools.a.payload.properties.text).toEqual({ type: 'string', pattern: '^(a+)+$' })
  })

  it('defect 7: is that a pattern is left out that nothing matches in linear time', () => {
    const tag = { type: 'string', pattern: '^(a|b)\\1$' }
    const made = imported({ name: 'a', description: 'A.', parameters: { type: 'object', properties: { tag } } })
    expect(made.diagnostics).toMatchObject([
      {
        code: 'TG6208',
        severity: 'warning',
        message: expect.stringMatching(/^A pattern of `a` is dropped: .* has a back reference/),
      },
    ])
    expect(toolsetOf(made).tools.a.payload.properties.tag).toEqual({ type: 'string' })
  })

  it('defect 13: is each entry without a name; the functions beside it are imported', () => {
    const made = importedText(
      '[{"name": "a"},\n{"description": "x", "parameters": {}},\nnull,\n{"name": "b", "description": "B."}]',
    )
    expect(told(made)).toEqual(['warning TG6014 line 2', 'warning TG6014 line 3', 'warning TG6005 line 1'])
    expect(Object.keys(toolsetOf(made).tools)).toEqual(['a', 'b'])
  })

  it.each([190, 1_000, 50_000])(
    'defect 13: is a function whose schema nests %i levels; the others are imported',
    (levels) => {
      const deep = `${'{"items":'.repeat(levels)}true${'}'.repeat(levels)}`
      const good = '{"name": "good", "description": "G."}'
      const result = `{"name": "result", "description": "R.", "response": ${deep}}`
      for (const separator of [',\n', '\n']) {
        const list = [`{"name": "deep", "parameters": ${deep}}`, good, result].join(separator)
        const made = importedText(separator === '\n' ? list : `[${list}]`)
        expect(told(made)).toEqual(['warning TG6003 line 1', 'warning TG6004 line 3'])
        expect(made.diagnostics[0]?.message).toContain('`deep` is not imported')
        expect(Object.keys(toolsetOf(made).tools)).toEqual(['good', 'result'])
      }
    },
  )

  it('is how functions stand to those of an earlier import', () => {
    const before = imported({ name: 'a', description: 'x' }, { name: 'b', description: 'x' }, { name: 'c' })
    const now = [
      { function: { description: 'x', name: 'a' } },
      { name: 'b', description: 'y' },
      { name: 'b', description: 'z' },
    ]
    expect(importedText(JSON.stringify(now), snapshotOf(before)).changes).toEqual([
      { tool: 'b', kind: 'changed' },
      { tool: 'b (2)', kind: 'added' },
      { tool: 'c', kind: 'removed' },
    ])
  })

  it.each<[string, string, string, number]>([
    ['nothing', '', 'TG0009', 1],
    ['an empty list', '[]', 'TG6020', 0],
    ['a request without tools', '{"model": "x", "messages": []}', 'TG6021', 1],
    ['an array of strings', '["a",\n"b"]', 'TG6014', 1],
    ['a function without a name alone', '[\n{"description": "x", "parameters": {}}]', 'TG6014', 2],
    ['a function with an empty name', '{"type": "function", "name": " "}', 'TG6014', 1],
    ['lists within lists', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'TG6014', 1],
    ['broken JSON', '[\n{"name": "a"},\n]', 'TG0009', 3],
    ['a broken line of JSON lines', '{"name": "a"}\n{"name": "b"\n', 'TG0009', 2],
    ['functions alone that cannot be described', '[{"name": "a", "parameters": {"type": "string"}}]', 'TG6003', 1],
    ['a schema without end', `{"name": "a", "parameters": ${'{"items":'.repeat(50_000)}`, 'TG0009', 1],
  ])('is an error for %s, and nothing is written', (_, text, code, line) => {
    const made = importedText(text)
    expect(made.files).toEqual([])
    expect(made.diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
    expect(made.diagnostics[0]?.code).toBe(code)
    expect(made.diagnostics[0]?.location?.line ?? 0).toBe(line)
  })
})

describe('defect 13a: an enum beside `type: array`', () => {
  it.each<[string, string]>([
    ['JSON Schema', 'array'],
    ['the dialect of Gemini', 'ARRAY'],
  ])('defect 13a: is moved into the items, with a warning, in %s', (_, type) => {
    const properties = {
      colors: { type, enum: ['red', 'blue'] },
      sizes: { type, items: { type: 'integer' }, enum: [1, 2] },
      lists: { type, items: {}, enum: [['a'], ['b']] },
    }
    const parameters = { type: 'object', properties, required: ['colors'] }
    const text = JSON.stringify([{ name: 'pick', description: 'Pick.', parameters }])
    const made = importFunctions('f', { text, file: 'f.json', shown: '`f.json`' })
    expect(made.tools).toBe(1)
    const warnings = made.diagnostics.filter(({ severity }) => severity !== 'note')
    expect(warnings).toMatchObject([
      { code: 'TG3032', severity: 'warning', message: expect.stringContaining('at /properties/colors'), location: {} },
      { code: 'TG3032', severity: 'warning', message: expect.stringContaining('at /properties/sizes'), location: {} },
    ])
    expect(toolsetOf(made).tools.pick.payload.properties).toEqual({
      colors: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
      sizes: { type: 'array', items: { type: 'integer', enum: [1, 2] } },
      lists: { type: 'array', items: {}, enum: [['a'], ['b']] },
    })
  })
})
