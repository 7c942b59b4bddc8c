import * as sdk from 'ai'
import { aiSdkRuns } from '../ai-sdk-runs.mjs'
import { packageVersion } from './package-version.mjs'

export const name = `ai ${packageVersion('ai')}`

export const { prepare, textOf, messagesOf, resultsOf } = aiSdkRuns(sdk, 'system')
