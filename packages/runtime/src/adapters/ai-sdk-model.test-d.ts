import type { LanguageModelV2, LanguageModelV3 } from '@ai-sdk/provider'
import type { LanguageModelV4 } from '@ai-sdk/provider-v4'
import { aiSdkDriver } from './ai-sdk-driver.js'

declare const models: readonly [LanguageModelV2, LanguageModelV3, LanguageModelV4]

for (const model of models) aiSdkDriver(model, { temperature: 0, providerOptions: { openai: { store: false } } })

// @ts-expect-error the name of a model is not a model
aiSdkDriver('openai/gpt-5.2')
// @ts-expect-error a temperature is a number
aiSdkDriver(models[1], { temperature: 'hot' })
