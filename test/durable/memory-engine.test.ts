import { memoryEngine } from '@toolgen/runtime/testing'
import { testEngine } from './engine-suite.js'

testEngine('the engine in memory', (agents) => memoryEngine(agents))
