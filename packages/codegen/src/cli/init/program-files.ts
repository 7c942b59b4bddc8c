import type { EmittedFile } from '../../write/file.js'
import { importPath } from './import-path.js'
import type { ProjectNames } from './project-names.js'

/** The example application: a service client and a program that calls it through the generated code. */
export function programFiles(names: ProjectNames): readonly EmittedFile[] {
  return [
    { path: `src/${names.toolsetFile}-client.ts`, text: clientText(names) },
    { path: 'src/main.ts', text: mainText(names) },
  ]
}

function clientText({ clientClass }: ProjectNames): string {
  return `import { ToolFailure } from '@toolgen/runtime'

interface Item {
  id: string
  name: string
  price: number
}

/** The service that the tools call. Put your own in its place: the generator checks that the tools fit it. */
export class ${clientClass} {
  readonly #items: readonly Item[] = [
    { id: 'I-1', name: 'Lamp', price: 19.5 },
    { id: 'I-2', name: 'Chair', price: 49 },
    { id: 'I-3', name: 'Cup', price: 6.2 },
  ]

  async findItems({ maxPrice, limit }: { maxPrice: number; limit: number }): Promise<{ items: Item[] }> {
    const affordable = this.#items.filter((item) => item.price <= maxPrice)
    return { items: affordable.sort((a, b) => a.price - b.price).slice(0, limit) }
  }

  async getItem({ itemId }: { itemId: string }): Promise<Item> {
    const found = this.#items.find((item) => item.id === itemId)
    if (found === undefined) throw new ToolFailure(\`There is no item \${itemId}.\`)
    return found
  }
}
`
}

function mainText({
  agent,
  toolset,
  register,
  outputFolder,
  agentFile,
  toolsetFile,
  clientClass,
}: ProjectNames): string {
  const generated = (module: string): string => importPath('src', `${outputFolder}/${module}/index.js`)
  return `import { answer, callTools, type Planner, Runtime, renderForModel } from '@toolgen/runtime'
import { ${register} } from '${generated(`agents/${agentFile}`)}'
import { newFindItemsCall, newGetItemCall } from '${generated(`toolsets/${toolsetFile}`)}'
import { ${clientClass} } from './${toolsetFile}-client.js'

/** Decides the next step of a run: calls, or an answer. A model can do that; this one is code, and needs no key. */
const planner: Planner = ({ outcomes }) => {
  const [cheapest] = outcomes
  if (cheapest === undefined) return callTools(newFindItemsCall({ maxPrice: 20, limit: 1 }))
  return answer(\`This is the cheapest: \${renderForModel(cheapest)}\`)
}

const ${agent} = ${register}(new Runtime(), {
  planner,
  toolsets: { ${toolset}: { client: new ${clientClass}() } },
})

const run = await ${agent}.run('What can I get for 20 euros?')
console.log(run.result?.text)

// A call can be executed without a run, too. What it answers has the type of the tool's result.
const found = await ${agent}.execute(newFindItemsCall({ maxPrice: 20 }))
if (found.status === 'completed') {
  for (const item of found.result.data.items) console.log(\`\${item.id} \${item.name}: \${item.price} euros\`)
}

// What fails is data too: the planner or the model reads what was wrong and what to do next.
const missing = await ${agent}.execute(newGetItemCall({ itemId: 'I-99' }))
console.log(renderForModel(missing))
`
}
