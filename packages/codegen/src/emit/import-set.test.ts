import { describe, expect, it } from 'vitest'
import { importSet, relativeSpecifier, runtimeModule } from './imports.js'

const file = {
  path: 'agents/support/orders.service.ts',
  extension: '.js',
  scripts: new Set<string>(),
  declares: ['types', 'Args'],
}

describe('an import set', () => {
  it('writes packages first, then relative modules, names sorted', () => {
    const imports = importSet(file)
    imports.value({ generated: 'agents/support/specs' }, 'supportOrdersUse')
    imports.value(runtimeModule, 'serviceTool')
    imports.type(runtimeModule, 'Codec')
    imports.types({ specifier: '../../../design/clients.js' }, 'clients')
    expect(imports.text()).toBe(
      [
        "import { type Codec, serviceTool } from '@toolgen/runtime/codegen/v1'",
        "import type * as clients from '../../../design/clients.js'",
        "import { supportOrdersUse } from './specs.js'",
      ].join('\n'),
    )
  })

  it('imports a name once, as a value where one use needs the value', () => {
    const imports = importSet(file)
    imports.type(runtimeModule, 'Runtime')
    imports.value(runtimeModule, 'Runtime')
    imports.type(runtimeModule, 'Runtime')
    expect(imports.text()).toBe("import { Runtime } from '@toolgen/runtime/codegen/v1'")
  })

  it('gives another name to what the file declares itself or has imported already', () => {
    const imports = importSet(file)
    expect(imports.type(runtimeModule, 'Args')).toBe('Args_')
    expect(imports.types({ generated: 'toolsets/orders/types' }, 'types')).toBe('types_')
    expect(imports.types({ generated: 'toolsets/files/types' }, 'types')).toBe('types__')
    expect(imports.text()).toBe(
      [
        "import type { Args as Args_ } from '@toolgen/runtime/codegen/v1'",
        "import type * as types__ from '../../toolsets/files/types.js'",
        "import type * as types_ from '../../toolsets/orders/types.js'",
      ].join('\n'),
    )
  })

  it('breaks what is too long into one name per line', () => {
    const imports = importSet(file)
    const names = Array.from({ length: 6 }, (_, index) => `aRatherLongNameToBeImported${index}`)
    for (const name of names) imports.value(runtimeModule, name)
    expect(imports.text()).toBe(
      `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '@toolgen/runtime/codegen/v1'`,
    )
  })

  it('is empty text when nothing is imported', () => {
    expect(importSet(file).text()).toBe('')
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
