import type { McpServer } from '@modelcontextprotocol/server'

export function askingServer(): McpServer
