module github.com/lro-go/lro/internal/migrate

go 1.26.5

replace (
	github.com/lro-go/lro => ../..
	github.com/lro-go/lro/poller/lroazcore => ../../poller/lroazcore
)

require (
	github.com/Azure/azure-sdk-for-go/sdk/azcore v1.24.0
	github.com/aws/aws-sdk-go-v2 v1.41.4
	github.com/aws/aws-sdk-go-v2/service/dynamodb v1.56.2
	github.com/aws/smithy-go v1.24.2
	github.com/hashicorp/go-azure-sdk/sdk v0.20260811.1225050
	github.com/hashicorp/terraform-plugin-sdk/v2 v2.40.1
	github.com/lro-go/lro v0.1.0
	github.com/lro-go/lro/poller/lroazcore v0.1.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/oauth2 v0.36.0
	k8s.io/apimachinery v0.37.0
)

require (
	github.com/Azure/azure-sdk-for-go/sdk/internal v1.13.0 // indirect
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.4.20 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.7.20 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.13.7 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery v1.11.20 // indirect
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/hashicorp/go-azure-helpers v0.81.1 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/hashicorp/go-uuid v1.0.3 // indirect
	github.com/hashicorp/go-version v1.9.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
	software.sslmate.com/src/go-pkcs12 v0.7.3 // indirect
)
