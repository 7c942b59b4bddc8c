import { memoryEngine } from '@toolgen/runtime/testing'
import { testEngine } from './engine-suite.js'
import { testSessions } from './session-suite.js'

testEngine('the engine in memory', (agents) => memoryEngine(agents))
testSessions('the engine in memory', (agents) => memoryEngine(agents))
