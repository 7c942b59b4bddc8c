import type { BoundTool } from '../call/bound-tools.js'
import { searchToolDescriptor, ToolSearch, toolsetsText } from '../tool-search/search-tool.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { ToolDescriptor } from '../types/tool.js'
import type { WholeApi } from './declarations.js'

/** Id of the tool `search_tools` of code mode. */
export const programSearchId = 'program.search_tools'

/** Searches the functions that programs can call. The model reads their declarations when it needs them. */
export class ProgramSearch {
  readonly descriptor: ToolDescriptor
  /** List of the namespaces with their tools, for the description of `run_program`. */
  readonly overview: string
  readonly #search: ToolSearch
  readonly #api: WholeApi

  constructor(tools: readonly BoundTool[], api: WholeApi, limit: number) {
    const namespaces = new Map(
      api.functions.map(({ path, toolName }) => [toolName, path.slice(0, path.lastIndexOf('.'))]),
    )
    this.#search = new ToolSearch(tools)
    this.#api = api
    this.overview = toolsetsText(tools, ({ spec }) => namespaces.get(spec.toolName) ?? spec.toolset)
    this.descriptor = searchToolDescriptor(programSearchId, limit, {
      description:
        'Finds functions for a task and returns their TypeScript declarations. Search before you write a program for `run_program`.',
      result: resultSchema,
    })
  }

  async execute(request: ExecutorRequest): Promise<{ readonly declarations: string; readonly hint?: string }> {
    const found = await this.#search.find(request)
    if (found.length === 0) return { declarations: '', hint: this.#search.hint }
    return { declarations: this.#api.part(new Set(found.map(({ toolName }) => toolName))) }
  }
}

const resultSchema = {
  type: 'object',
  properties: {
    declarations: { type: 'string', description: 'Declarations of the found functions. Empty if none was found.' },
    hint: { type: 'string', description: 'Next step if no function was found.' },
  },
  required: ['declarations'],
}
