import * as sdk from 'ai-7'
import { aiSdkRuns } from '../ai-sdk-runs.mjs'
import { packageVersion } from './package-version.mjs'

export const name = `ai ${packageVersion('ai-7')}`

export const { prepare, textOf, messagesOf, resultsOf } = aiSdkRuns(sdk, 'instructions')
