import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hintTemplate } from './hint-template.js'

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

describe('a hint', () => {
  it.each([
    ['Order {{id}} is {{status}}', { id: 'A-1', status: 'open' }, 'Order A-1 is open'],
    ['{{ customer.name }}', { customer: { name: 'Ada' } }, 'Ada'],
    ['{{a.b}}', { 'a.b': 'own', a: { b: 'inner' } }, 'own'],
    ['{{list.1}} {{list.length}}', { list: [1, 2] }, '2 2'],
    ['[{{gone}}] [{{gone.deep}}] [{{nothing}}]', { nothing: null }, '[] [] []'],
    ['{{toString}}{{__proto__}}{{constructor.name}}', {}, ''],
    ['{{__proto__}}', JSON.parse('{"__proto__":"own"}'), 'own'],
    ['{{text}}', { text: 'a\n\tb\r\nc' }, 'a b c'],
    ['{{text}}', { text: '{{id}} $& $1', id: 'x' }, '{{id}} $& $1'],
    ['{{list}} {{object}}', { list: [1, 'a'], object: { b: true } }, '[1,"a"] {"b":true}'],
    ['{{when}}', { when: new Date(0) }, '1970-01-01T00:00:00.000Z'],
    ['{{when}}', { when: new Date(Number.NaN) }, ''],
    ['{{big}} {{inner}}', { big: 12n, inner: { big: 1n } }, '12 …'],
    ['{{cyclic}}', { cyclic }, '…'],
    ['{{id}}', undefined, ''],
    ['{{id}}', 'text', ''],
    ['no field {id} {{', { id: 1 }, 'no field {id} {{'],
    ['', {}, ''],
  ])('%j over %o', (template, value, text) => {
    expect(hintTemplate(template)(value)).toBe(text)
  })

  it('shows no more than 120 characters of a field', () => {
    expect(hintTemplate('{{a}}{{b}}')({ a: 'x'.repeat(500), b: 'y'.repeat(120) })).toBe(
      `${'x'.repeat(119)}…${'y'.repeat(120)}`,
    )
  })

  it('cuts no character in half', () => {
    for (const before of ['', 'x']) {
      const text = hintTemplate('{{a}}')({ a: before + '\u{1F600}'.repeat(200) })
      expect(text).not.toMatch(/\p{Surrogate}/u)
    }
  })

  it('is one line and never throws, whatever the template and the value', () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), (path, value) => {
        const template = `{{${path.replace(/[{}\s]/g, '')}}}`
        expect(hintTemplate(template)({ value, [path]: value })).not.toMatch(/[\n\r]/)
        expect(hintTemplate('{{value}}')({ value })).not.toMatch(/[\n\r]/)
      }),
    )
  })
})
