import { Runtime, renderForModel, tool, toolset, transformOutput, withContent } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { charts, deciding, large, png, pngPart, pngText, wavPart } from './charts.fixture.js'

const approved = deciding('approve')
const run = (tool: string, args: object) =>
  new Runtime().registerToolset(charts()).execute({ tool, arguments: JSON.stringify(args) }, approved)

describe('a result with images and audio', () => {
  it('has parts, a whole value for code, and short texts for models', async () => {
    const outcome = await run('draw', { kinds: ['png', 'wav'] })
    const json = `{"title":"Sales","charts":["${pngText}","[audio 2: audio/wav, 56 bytes]"]}`
    expect(outcome).toMatchObject({
      status: 'completed',
      json,
      content: [pngPart, wavPart],
      result: { data: { title: 'Sales', charts: [png, wavPart.data] } },
    })
    expect(renderForModel(outcome)).toBe(json)
  })

  it('can have parts that its value does not contain', async () => {
    const outcome = await run('attach', { kinds: ['png'] })
    expect(outcome).toMatchObject({ json: '{"title":"Sales"}', content: [pngPart] })
  })

  it('has no `content` without them', async () => {
    expect(await run('draw', { kinds: [] })).not.toHaveProperty('content')
  })

  it('names the size of each part', async () => {
    expect(await run('draw', { kinds: ['large'] })).toMatchObject({
      json: '{"title":"Sales","charts":["[image 1: image/png, 3.75 MB]"]}',
      content: [{ data: large }],
    })
  })

  it('keeps its parts if a layer changes the text', async () => {
    const tools = charts().layer(transformOutput((json) => json.toUpperCase()))
    const outcome = await new Runtime()
      .registerToolset(tools)
      .execute({ tool: 'draw', arguments: '{"kinds":["png"]}' }, approved)
    expect(outcome).toMatchObject({ content: [pngPart], json: expect.stringContaining('SALES') })
  })

  it('does not count its parts in `maxResult`, and keeps them if its text is shortened', async () => {
    const list = tool({
      name: 'list',
      description: 'Lists photos.',
      parameters: {},
      maxResult: { bytes: 600 },
      run: ({ notes }: { notes: number }) =>
        withContent({ photo: large, notes: Array.from({ length: notes }, (_, at) => `Note number ${at}.`) }, [
          { mediaType: 'image/png', data: large },
        ]),
    })
    const tools = new Runtime().registerToolset(toolset('photos', list))
    const whole = await tools.execute({ tool: 'list', arguments: '{"notes":2}' })
    expect(whole.provenance).not.toHaveProperty('cut')
    const cut = await tools.execute({ tool: 'list', arguments: '{"notes":200}' })
    expect(cut.provenance).toHaveProperty('cut')
    for (const outcome of [whole, cut]) {
      expect(outcome).toMatchObject({ content: [{ data: large }], result: { data: { photo: large } } })
      expect(renderForModel(outcome)).toContain('[image 1: image/png, 3.75 MB]')
      expect(renderForModel(outcome).length).toBeLessThanOrEqual(600)
    }
  })

  it('can be cached and repeated', async () => {
    const { cache } = await import('@toolgen/runtime/resilience')
    const tools = new Runtime().registerToolset(charts().layer(cache({ ttlMs: 60_000, audience: 'everyone' })))
    const call = { tool: 'draw', arguments: '{"kinds":["png"]}' }
    await tools.execute(call, approved)
    expect(await tools.execute(call, approved)).toMatchObject({
      provenance: { extra: { cache: 'hit' } },
      content: [pngPart],
      result: { data: { charts: [png] } },
    })
  })
})

describe('withContent', () => {
  it.each([
    ['a malformed media type', { mediaType: 'pdf', data: png }, 'The media type is malformed. Pass one such as'],
    ['no base64', { mediaType: 'image/png', data: `${png.slice(0, -4)} !==` }, '`data` is not base64. Pass base64'],
    ['a data URL', { mediaType: 'image/png', data: `data:image/png;base64,${png}` }, '`data` is a data URL. Pass only'],
    ['SVG text', { mediaType: 'image/svg+xml', data: '<svg width="1" height="1" fill="red" />' }, '`data` is XML'],
    ['a short file', { mediaType: 'image/png', data: 'aGVsbG8=' }, '`data` has 5 bytes. A file has at least 24 bytes.'],
    ['an empty file', { mediaType: 'image/png', data: new Uint8Array() }, '`data` has 0 bytes. A file has at least'],
  ])('rejects %s and names the rule', (_, part, rule) => {
    expect(() => withContent(null, [pngPart, part])).toThrow(
      `withContent: part 1 ('${part.mediaType}') is invalid. ${rule}`,
    )
  })

  it('adds parts to earlier ones', () => {
    expect(withContent(withContent('a', [pngPart]), [wavPart])).toMatchObject({
      value: 'a',
      content: [pngPart, wavPart],
    })
  })
})
