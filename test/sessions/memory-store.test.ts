import { memoryStore } from '../../packages/runtime/src/sessions.js'
import { describeStore } from './store-suite.js'

describeStore('in memory', async () => {
  const store = memoryStore()
  return { store, elsewhere: store, close: async () => undefined }
})
