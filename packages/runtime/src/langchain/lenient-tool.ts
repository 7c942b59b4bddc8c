import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'

type Input = Parameters<DynamicStructuredTool['invoke']>[0]

/**
 * A tool whose schema is for models to read. LangChain would answer arguments that break it by itself, with a sentence that
 * does not say what is wrong: where it compares them, it is shown a schema of which everything is a value.
 */
export class LenientTool extends DynamicStructuredTool {
  override call(input: Input, config?: ToolRunnableConfig, tags?: string[]): Promise<any> {
    // A schema of its own each time: the validator writes into it.
    const takesAll: this = Object.create(this, { schema: { value: {} } })
    return super.call.call(takesAll, input, config, tags)
  }
}
