import { describe, expect, it } from 'vitest'
import { GeneratedFile, relativeSpecifier } from './generated-file.js'

const newFile = (): GeneratedFile =>
  new GeneratedFile('agents/support/orders.service.ts', ['types', 'Args'], { extension: '.js', scripts: new Set() })

describe('the imports of a generated file', () => {
  it('writes packages first, then relative modules, names sorted', () => {
    const file = newFile()
    file.value('supportOrdersUse', { generated: 'agents/support/specs' })
    file.value('serviceTool')
    file.type('Codec')
    file.types('clients', { specifier: '../../../design/clients.js' })
    expect(file.imports()).toBe(
      [
        "import { type Codec, serviceTool } from '@toolgen/runtime/codegen/v1'",
        "import type * as clients from '../../../design/clients.js'",
        "import { supportOrdersUse } from './specs.js'",
      ].join('\n'),
    )
  })

  it('imports a name once, as a value where one use needs the value', () => {
    const file = newFile()
    file.type('Runtime')
    file.value('Runtime')
    file.type('Runtime')
    expect(file.imports()).toBe("import { Runtime } from '@toolgen/runtime/codegen/v1'")
  })

  it('gives another name to what the file declares itself or has imported already', () => {
    const file = newFile()
    expect(file.type('Args')).toBe('Args_')
    expect(file.types('types', { generated: 'toolsets/orders/types' })).toBe('types_')
    expect(file.types('types', { generated: 'toolsets/files/types' })).toBe('types__')
    expect(file.imports()).toBe(
      [
        "import type { Args as Args_ } from '@toolgen/runtime/codegen/v1'",
        "import type * as types__ from '../../toolsets/files/types.js'",
        "import type * as types_ from '../../toolsets/orders/types.js'",
      ].join('\n'),
    )
  })

  it('breaks what is too long into one name per line', () => {
    const file = newFile()
    const names = Array.from({ length: 6 }, (_, index) => `aRatherLongNameToBeImported${index}`)
    for (const name of names) file.value(name)
    expect(file.imports()).toBe(
      `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '@toolgen/runtime/codegen/v1'`,
    )
  })

  it('is empty text when nothing is imported', () => {
    expect(newFile().imports()).toBe('')
  })
})

describe('a relative specifier', () => {
  it.each([
    ['a/b/c.ts', 'a/b/d.js', './d.js'],
    ['a/b/c.ts', 'a/d.js', '../d.js'],
    ['a/b/c.ts', 'x/y/d.js', '../../x/y/d.js'],
    ['c.ts', 'a/d.js', './a/d.js'],
  ])('from %s to %s is %s', (from, to, expected) => {
    expect(relativeSpecifier(from, to)).toBe(expected)
  })
})
