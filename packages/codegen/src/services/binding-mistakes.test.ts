import { rmSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { type BindingLocations, serviceUses } from '../ir/uses.js'
import { bindServices } from './bind-services.js'
import { clientModule, designWith, nil, object, projectWith, string, type ToolCase } from './bound-design.fixture.js'

let root = ''

afterEach(() => rmSync(root, { recursive: true, force: true }))

function at(line: number) {
  return { file: 'agents.ts', line, column: 1 }
}

/** A design whose tool says the parts of its binding at known places. */
function placed(tool: ToolCase, parts: BindingLocations): DesignIr {
  const design = designWith({ quote: tool })
  return {
    ...design,
    agents: design.agents.map((agent) => ({
      ...agent,
      uses: serviceUses(agent).map((use) => ({ ...use, tools: use.tools.map((bound) => ({ ...bound, parts })) })),
    })),
  }
}

async function diagnose(client: string, design: DesignIr): Promise<readonly Diagnostic[]> {
  root = projectWith({ 'package.json': '{ "type": "module" }', 'client.ts': clientModule(client) })
  return (await bindServices(design, { root })).diagnostics
}

const fares =
  'interface Client { price(p: { from: string; to: string }): Promise<void>; sell(): void; readonly name: string }'

describe('a mistake in a binding', () => {
  it('of the method is reported at its name; without a similar name, the message lists the other methods', async () => {
    const tool = { payload: object({}), result: nil, method: 'zzz' }
    const [found] = await diagnose(fares, placed(tool, { method: at(7), rename: {}, constants: {} }))
    expect(found).toMatchObject({
      code: 'TG4005',
      message: '`quote`: `client` has no method `zzz`.',
      location: at(7),
      next: 'Add the method `zzz` to the client type (client.ts), or select an existing method with `tools: { quote: { method: ... } }` in `fromService`: `price`, `sell`.',
    })
  })

  it('of a method that the type of a package lacks proposes no change of the package', async () => {
    root = projectWith({
      'package.json': '{ "type": "module" }',
      'node_modules/fares/package.json': '{ "name": "fares", "type": "module", "types": "index.d.ts" }',
      'node_modules/fares/index.d.ts': 'export interface Fares { price(): Promise<void> }',
      'client.ts': clientModule("import type { Fares } from 'fares'\ntype Client = Fares"),
    })
    const design = designWith({ quote: { payload: object({}), result: nil, method: 'zzz' } })
    expect((await bindServices(design, { root })).diagnostics).toMatchObject([
      { next: 'Select an existing method with `tools: { quote: { method: ... } }` in `fromService`: `price`.' },
    ])
  })

  it('of a method that is only spelt otherwise proposes the other name first', async () => {
    const tool = { payload: object({}), result: nil, method: 'prise' }
    const [found] = await diagnose(fares, designWith({ quote: tool }))
    expect(found?.next).toBe(
      "Add `tools: { quote: { method: 'price' } }` to `fromService`, or add the method `prise` to the client type (client.ts).",
    )
  })

  it('of a method inside a member offers the whole path', async () => {
    const tool = { payload: object({}), result: nil, method: 'prices.lst' }
    const [found] = await diagnose(
      'interface Client { prices: { list(): Promise<void> } }',
      designWith({ quote: tool }),
    )
    expect(found?.near).toEqual(['prices.list'])
    expect(found?.next).toContain("method: 'prices.list'")
  })

  it.each([
    ['itemz', 'TG4005', '`client` has no method `itemz`.'],
    ['hidden', 'TG4006', '`client.hidden` is private or protected, so generated code cannot call it.'],
    ['kept', 'TG4006', '`client.kept` is private or protected, so generated code cannot call it.'],
    ['count', 'TG4006', '`client.count` is not a method.'],
  ])('of a method names those alone that can be called: %s', async (method, code, said) => {
    const client = `class Client {
  #items: string[] = []
  readonly count = 1
  private itemsOf(): void {}
  private hidden(): void {}
  protected kept(): void {}
  readonly items: string[] = []
  sell(): void {}
}`
    const [found] = await diagnose(client, designWith({ quote: { payload: object({}), result: nil, method } }))
    expect(found).toMatchObject({ code, severity: 'error', message: `\`quote\`: ${said}` })
    const named = found?.next.replace(`the method \`${method}\``, '').match(/`\w+`/g)
    const proposed = [...(found?.near ?? []), ...(named ?? [])].join()
    expect(proposed).not.toMatch(/item|hidden|kept|count/)
  })

  it('of `collect` is reported at this option, for a tool that is not declared as streaming', async () => {
    const tool: ToolCase = { payload: object({}), result: nil, method: 'sell', collect: 'last' }
    const found = await diagnose(fares, placed(tool, { collect: at(7), rename: {}, constants: {} }))
    expect(found).toMatchObject([
      {
        code: 'TG4011',
        severity: 'error',
        message: '`quote`: `collect` has no effect: the tool does not declare `streaming`.',
        location: at(7),
      },
    ])
  })

  it('does not hide another one: each stands at its own entry', async () => {
    const tool = {
      payload: object({ origin: string, to: string }),
      result: nil,
      method: 'price',
      rename: { origin: 'form', tu: 'to' },
      constants: { mode: 'fast', from: 1 },
    }
    const parts: BindingLocations = {
      rename: { origin: { name: at(1), value: at(2) }, tu: { name: at(3), value: at(4) } },
      constants: { mode: { name: at(5), value: at(6) }, from: { name: at(7), value: at(8) } },
    }
    const unknown = await diagnose(fares, placed(tool, parts))
    expect(unknown.map(({ code, location, next }) => [code, location, next])).toEqual([
      ['TG4007', at(3), 'Did you mean `to`?'],
    ])
    const { tu: _, ...rename } = tool.rename
    const found = await diagnose(fares, placed({ ...tool, rename }, parts))
    expect(found.map(({ code, location, severity }) => [code, location, severity])).toEqual([
      ['TG4007', at(2), 'error'],
      ['TG4008', at(5), 'error'],
      ['TG4009', at(8), 'error'],
    ])
  })
})

describe('a note that asks for a mapper', () => {
  it('names the place in the application', async () => {
    const tool = { payload: object({ from: string, to: string }), result: object({ total: string }), method: 'price' }
    const [found] = await diagnose(fares, designWith({ quote: tool }))
    expect(found?.message).toMatch(/^`quote`: The result needs a mapper: .*\.$/)
    expect(found?.next).toContain('`toolsets.zoo.mappers.quote.result`')
  })
})

describe('a method that adds to the provenance', () => {
  const types = `declare const MARK: unique symbol
interface Provenanced<Value> { readonly [MARK]: true; readonly value: Value; readonly detail: object }
interface Order { id: string; at: Date }
`
  const order = object({ id: string, at: { type: 'string', format: 'date-time' } })
  const verdictOf = async (returned: string, ownTypes = types): Promise<string | undefined> => {
    root = projectWith({ 'client.ts': clientModule(`${ownTypes}interface Client { get(): ${returned} }`) })
    const { value } = await bindServices(designWith({ get: { payload: object({}), result: order } }), { root })
    return value?.keeper?.zoo?.get?.result.verdict
  }

  it.each([
    ['Promise<Provenanced<Order>>'],
    ['Provenanced<Order>'],
    ['Promise<Order | Provenanced<Order>>'],
    ['Promise<Provenanced<{ id: string; at: Date } | Order>>'],
    ['Promise<Provenanced<Order> | { id: string; at: Date }>'],
  ])('is bound by what it answers: %s', async (returned) => {
    expect(await verdictOf(returned)).toBe('convert')
  })

  it('is known by the mark, not by its name', async () => {
    const own =
      'interface Order { id: string; at: Date }\ninterface Provenanced<Value> { value: Value; detail: object }\n'
    expect(await verdictOf('Promise<Provenanced<Order>>', own)).toBe('mapper')
  })
})
