import { describe, expect, it } from 'vitest'
import { mediaPart, partsIn, withData, withoutData } from './content.js'

const partOf = (text: string, mediaType = 'image/png') => {
  const part = mediaPart(mediaType, Buffer.from(text.padEnd(30, '.')).toString('base64'))
  if (part === undefined) throw new Error('no part')
  return part
}
const [a, b] = [partOf('a'), partOf('b', 'audio/mpeg')]

describe('the data of parts in JSON', () => {
  it.each([
    ['a value', JSON.stringify(a.data), '"[image 1: image/png, 30 bytes]"'],
    [
      'values',
      JSON.stringify({ x: [b.data, a.data] }),
      '{"x":["[audio 2: audio/mpeg, 30 bytes]","[image 1: image/png, 30 bytes]"]}',
    ],
    ['a value after escaped quotes', JSON.stringify(['\\"', '\\', `"${b.data}"`, a.data]), undefined],
    [
      'nothing else',
      JSON.stringify({ [a.data]: 1, y: `${a.data}=`, z: 'text' }),
      JSON.stringify({ [a.data]: 1, y: `${a.data}=`, z: 'text' }),
    ],
  ])('is replaced and restored: %s', (_, json, short) => {
    const replaced = withoutData(json, [a, b])
    if (short !== undefined) expect(replaced).toBe(short)
    expect(() => JSON.parse(replaced)).not.toThrow()
    expect(withData(replaced, [a, b])).toBe(json)
  })

  it('is found where it is a value', () => {
    expect(partsIn(JSON.stringify({ [a.data]: b.data }), [a, b])).toEqual([b])
    expect(partsIn('"unfinished', [a, b])).toEqual([])
  })

  it('of equal files gets the text of the first', () => {
    const same = [a, { ...a }]
    const replaced = withoutData(JSON.stringify([a.data, a.data]), same)
    expect(JSON.parse(replaced)).toEqual(Array(2).fill('[image 1: image/png, 30 bytes]'))
    expect(withData(replaced, same)).toBe(JSON.stringify([a.data, a.data]))
  })

  it('can be long and of many files', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => partOf(`file ${index}`))
    const large = partOf('x'.repeat(20_000_000))
    const json = JSON.stringify([...many.map(({ data }) => data), large.data])
    const replaced = withoutData(json, [...many, large])
    expect(replaced.length).toBeLessThan(1_000_000)
    expect(withData(replaced, [...many, large])).toBe(json)
  })
})

describe('a part', () => {
  it.each([
    ['image/JPG; q=1', 'image/jpeg'],
    [' audio/wave', 'audio/wav'],
    ['audio/ogg', 'audio/ogg'],
  ])('of %s has the media type %s', (given, mediaType) => {
    expect(mediaPart(given, a.data)).toMatchObject({ mediaType })
  })

  it.each([
    ['text/plain', a.data],
    ['image/', a.data],
    ['image/png"]', a.data],
    ['image/png', 'aGVsbG8='],
    ['image/png', `${a.data}A`],
    ['image/png', `${a.data.slice(0, -4)}-_-_`],
  ])('is not created for %s and %s', (mediaType, data) => {
    expect(mediaPart(mediaType, data)).toBeUndefined()
  })
})
