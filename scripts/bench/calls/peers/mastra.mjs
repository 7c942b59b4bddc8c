export { Agent } from '@mastra/core/agent'
export { createTool } from '@mastra/core/tools'
export { z } from 'zod'
