import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import {
  openAiTool,
  toAnthropicTools,
  toOpenAIResponsesTools,
  toOpenAITools,
} from '../../packages/runtime/src/projections.js'
import { find } from '../conformance/shop.js'
import { agentOf } from './shop.fixture.js'

const { specs } = agentOf()
const names = ['orders_find', 'orders_cancel', 'orders_mine', 'parcels_follow', 'parcels_meet']

describe('the tools of an agent in the forms of vendors, as their own packages type requests', () => {
  it('are those of chat completions', () => {
    const request: OpenAI.ChatCompletionCreateParams = { model: 'm', messages: [], tools: toOpenAITools(specs) }
    expect(request.tools?.map((tool) => tool.type === 'function' && tool.function.name)).toEqual(names)
    expect(request.tools?.[0]).toEqual(openAiTool(find.spec).tool)
    expect(toOpenAITools(specs, { strict: false })[0]).toEqual(openAiTool(find.spec, { strict: false }).tool)
  })

  it('are those of the Responses API', () => {
    const request: OpenAI.Responses.ResponseCreateParams = {
      model: 'm',
      input: 'Help.',
      tools: toOpenAIResponsesTools(specs),
    }
    expect(request.tools?.[0]).toEqual({ type: 'function', ...openAiTool(find.spec).tool.function })
    expect(request.tools).toHaveLength(names.length)
  })

  it('are those of the Messages API', () => {
    const request: Anthropic.MessageCreateParams = {
      model: 'm',
      max_tokens: 1,
      messages: [],
      tools: toAnthropicTools(specs),
    }
    expect(request.tools?.map((tool) => 'name' in tool && tool.name)).toEqual(names)
    expect(request.tools?.[0]).toEqual({
      name: 'orders_find',
      description: find.spec.description,
      input_schema: find.spec.arguments,
    })
  })
})
